/**
 * Why a queued node run waits, in words for users. Pure. Composed at each read, because "in 10 s"
 * is true only for a moment.
 */
import { failureCause } from '@cogworks/graph/steps';

export type Waiting = {
  /** What keeps it from starting now, apart from a pause. */
  queue_reason?: string;
  /** Seconds until the pause after a failed attempt ends; absent without a pause. */
  retry_in_seconds?: number;
  /** Why the previous attempt failed; absent before the first. */
  last_error_class?: string;
  last_exit_code?: number;
  last_error_message?: string;
};

/** Fits a line of a list; the full failure is shown when there are no more attempts. */
const longestCause = 200;

/** "the registry at 127.0.0.1:5959 does not answer, next try in 10 s" */
export function queueReason(waiting: Waiting): string | undefined {
  const { queue_reason, retry_in_seconds } = waiting;
  const cause = causeOf(waiting);
  if (retry_in_seconds !== undefined) {
    return `${cause ?? 'the last try failed'}, next try in ${inWords(retry_in_seconds)}`;
  }
  if (queue_reason === undefined || cause === undefined) return queue_reason;
  return `${queue_reason}; the last try: ${cause}`;
}

/** The last failure as part of a sentence: without capital letter and full stop. */
function causeOf({ last_error_class, last_exit_code, last_error_message }: Waiting) {
  if (last_error_class === undefined) return undefined;
  const told = last_error_message?.trim().split('\n')[0] || undefined;
  const words = failureCause({
    exit_code: told === undefined ? (last_exit_code ?? null) : null,
    error_class: last_error_class,
    error_message: told ?? null,
  });
  return shortened(asPart(words));
}

/** Workers word messages as "It ran longer than 60 s." and "exit code 1: its last line". */
function asPart(sentence: string): string {
  const said = sentence
    .replace(/^exit code /, 'the program ended with exit code ')
    .replace(/^It /, 'the program ')
    .replace(/\.$/, '');
  return said.replace(/^(The|This|A|An) /, (word) => word.toLowerCase());
}

const shortened = (text: string) =>
  text.length > longestCause ? `${text.slice(0, longestCause - 1).trimEnd()}…` : text;

/** Rounded up, so that it never promises an attempt right now. */
const inWords = (seconds: number) =>
  seconds > 99 ? `${Math.ceil(seconds / 60)} min` : `${Math.max(1, Math.ceil(seconds))} s`;
