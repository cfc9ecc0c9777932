/** What a test showed of one step, in words. Pure. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { formatCount, formatSize } from '../../../ui/format.ts';

export type Outcome = {
  /** As the statuses of ui/status.tsx. */
  status: NodeRun['status'];
  words: string;
  detail: string;
};

/** In place of a success whose files were removed. */
export const goneOutcome = {
  words: t`Results removed`,
  detail: t`Test again to see them.`,
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

/** The failure that came first: it stays the same when others follow. */
export const firstFailure = (runs: readonly NodeRun[]): NodeRun | undefined =>
  runs
    .filter(({ status }) => status === 'failure')
    .toSorted((a, b) => Date.parse(a.finished_at ?? '') - Date.parse(b.finished_at ?? ''))[0];

/** The worst of the step's node runs decides. @param isStale whether it has changed since. */
export function outcomeOf(runs: readonly NodeRun[], isStale: boolean): Outcome {
  const status = rank.find((one) => runs.some((run) => run.status === one)) ?? 'pending';
  const outputs = runs.flatMap((run) => run.outputs);
  const size = formatSize(outputs.reduce((sum, { size_bytes }) => sum + size_bytes, 0));
  const files = plural(outputs.length, { one: `# file, ${size}`, other: `# files, ${size}` });
  if (status === 'failure') {
    const failed = runs.filter((run) => run.status === 'failure');
    const reason = failed[0]?.error_message ?? t`It ended with an error.`;
    const count = formatCount(failed.length);
    const total = formatCount(runs.length);
    const detail = runs.length > 1 ? t`${count} of ${total} failed: ${reason}` : reason;
    return { status, words: isStale ? t`Failed, changed since` : t`Failed`, detail };
  }
  if (status === 'success') {
    const fresh = runs.every(
      ({ cached, reused_from_node_run_id }) => cached || reused_from_node_run_id,
    )
      ? t`Up to date, taken over`
      : t`Up to date`;
    const detail = outputs.length > 0 ? files : t`no files`;
    return { status, words: isStale ? t`Out of date` : fresh, detail };
  }
  const words: Record<string, string> = {
    running: t`Running`,
    queued: t`Waiting for a worker`,
    pending: t`Waiting`,
    cancelled: isStale ? t`Cancelled, changed since` : t`Cancelled`,
    skipped: isStale ? t`Skipped, changed since` : t`Skipped`,
  };
  const [first] = runs;
  return { status, words: words[status] ?? status, detail: first?.queue_reason ?? '' };
}
