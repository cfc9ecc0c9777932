/**
 * Why a queued node run waits, in words for users. Pure. Composed at each read, because "in 10 s"
 * is true only for a moment.
 */
import { failureCause } from '@cogworks/graph/steps';
import { inCredits, sliceOf } from '../../credits/prices.ts';

export type Waiting = {
  /** What keeps it from starting now, apart from a pause. */
  queue_reason?: string;
  /** Seconds until the pause after a failed attempt ends; absent without a pause. */
  retry_in_seconds?: number;
  /** Why the previous attempt failed; absent before the first. */
  last_error_class?: string;
  last_exit_code?: number;
  last_error_message?: string;
  /** What a queued one needs. */
  needs_cpu?: number;
  needs_memory_mb?: number;
  needs_gpu?: number;
  /** Thousandths of credits that are left, where there is a limit. */
  tenant_credits?: number;
  run_credits?: number;
};

/** Fits a line of a list; the full failure is shown when there are no more attempts. */
const longestCause = 200;

/** "the registry at 127.0.0.1:5959 does not answer, next try in 10 s" */
export function queueReason(waiting: Waiting): string | undefined {
  const { retry_in_seconds } = waiting;
  const queue_reason = waiting.queue_reason ?? whatIsTaken(waiting);
  const cause = causeOf(waiting);
  if (retry_in_seconds !== undefined) {
    return `${cause ?? 'the last try failed'}, next try in ${inWords(retry_in_seconds)}`;
  }
  if (queue_reason === undefined || cause === undefined) return queue_reason;
  return `${queue_reason}; the last try: ${cause}`;
}

/** What it waits for that others have: credits or a worker. */
function whatIsTaken(waiting: Waiting): string | undefined {
  const { needs_cpu: cpu, needs_memory_mb: memory_mb, needs_gpu: gpu } = waiting;
  if (cpu === undefined || memory_mb === undefined || gpu === undefined) return undefined;
  const needed = sliceOf({ cpu, memory_mb, gpu });
  const { tenant_credits, run_credits } = waiting;
  const isShort = (left: number | undefined): left is number => left !== undefined && left < needed;
  const of = (left: number, whose: string) =>
    `credits: ${inCredits(needed)} are needed for its first five minutes, and ${inCredits(left)} of ${whose} are left`;
  if (isShort(run_credits)) return of(run_credits, 'this run');
  if (isShort(tenant_credits)) return of(tenant_credits, 'the organization');
  return 'all workers are busy';
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
