/** Explains to users why a step waits or was skipped, and where results went. Pure. */
import type { NodeRun, WorkflowRun } from './contract.gen.ts';

/** Words for the service's codes. */
const skipped: Record<string, string> = {
  condition_false: 'Left out, because its condition was false.',
  upstream_failed: 'Left out, because an earlier step failed.',
  upstream_cancelled: 'Left out, because an earlier step was cancelled.',
  upstream_skipped: 'Left out, because an earlier step was left out.',
  run_aborted: 'Left out, because the run stops at the first failure.',
};

type Reasons = Pick<NodeRun, 'error_message' | 'skip_reason' | 'queue_reason'>;

/** @returns a sentence; undefined if there is nothing to explain. */
export function reasonOf({
  error_message,
  skip_reason,
  queue_reason,
}: Reasons): string | undefined {
  if (error_message) return sentence(error_message);
  if (skip_reason) return skipped[skip_reason] ?? 'Left out.';
  return queue_reason && sentence(queue_reason);
}

/** Capitalizes the text. Its end is unchanged, because a program's text may have several lines. */
const sentence = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`;

const fallbacks = {
  no_right:
    'Whoever started this run may no longer add to the chosen folder. Later results are in their own results folder.',
  folder_gone:
    'The chosen folder was deleted. Later results are in the results folder of whoever started this run.',
};

/** Where results went if they could not go to the requested folder. */
export const fallbackOf = ({ output_fallback }: WorkflowRun): string | undefined =>
  output_fallback && fallbacks[output_fallback];
