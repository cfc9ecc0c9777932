/** What a test showed of one step, in words. Pure. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { formatSize, plural } from '../../../ui/format.ts';

export type Outcome = {
  /** As the statuses of ui/status.tsx. */
  status: NodeRun['status'];
  words: string;
  detail: string;
};

/** In place of a success whose files were removed. */
export const goneOutcome = {
  words: 'Results removed',
  detail: 'Test again to see them.',
};

const rank: NodeRun['status'][] = [
  'failure',
  'running',
  'queued',
  'pending',
  'cancelled',
  'success',
  'skipped',
];

/** The worst of the step's node runs decides. @param isStale whether it has changed since. */
export function outcomeOf(runs: readonly NodeRun[], isStale: boolean): Outcome {
  const status = rank.find((one) => runs.some((run) => run.status === one)) ?? 'pending';
  const outputs = runs.flatMap((run) => run.outputs);
  const size = outputs.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const files = outputs.length > 0 ? `${plural(outputs.length, 'file')}, ${formatSize(size)}` : '';
  if (status === 'failure') {
    const failed = runs.filter((run) => run.status === 'failure');
    const reason = failed[0]?.error_message ?? 'It ended with an error.';
    const many = runs.length > 1 ? `${failed.length} of ${runs.length} failed: ` : '';
    return { status, words: isStale ? 'Failed, changed since' : 'Failed', detail: many + reason };
  }
  if (status === 'success') {
    const fresh = runs.every(
      ({ cached, reused_from_node_run_id }) => cached || reused_from_node_run_id,
    )
      ? 'Up to date, taken over'
      : 'Up to date';
    return { status, words: isStale ? 'Out of date' : fresh, detail: files || 'no files' };
  }
  const words: Record<string, string> = {
    running: 'Running',
    queued: 'Waiting for a worker',
    pending: 'Waiting',
    cancelled: 'Cancelled',
    skipped: 'Skipped',
  };
  const [first] = runs;
  const isOld = isStale && (status === 'skipped' || status === 'cancelled');
  const told = words[status] ?? status;
  return {
    status,
    words: isOld ? `${told}, changed since` : told,
    detail: first?.queue_reason ?? '',
  };
}
