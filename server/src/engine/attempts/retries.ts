/**
 * What follows a failed attempt: a retry after some delay, or the end. Pure. The user's budget
 * (`retry` of the definition) and the platform's are counted separately: a lost worker does not use
 * up an attempt of the user's.
 */
import { factsOfError } from '@cogworks/graph/error-classes';

const systemBudget = 3;
const base_ms = 5_000;
const longest_ms = 600_000;
const oomFactor = 1.5;

export type Failure = { error_class: string; exit_code?: number };

export type Budget = {
  /** Attempts made, including this one. */
  attempt: number;
  max_attempts: number;
  /** Earlier attempts that failed through no fault of the user's program. */
  system_faults: number;
  /** How many of those were stopped on purpose. */
  evictions: number;
  retry_on: readonly string[];
  /** Workers lost with this node run, including this one. */
  workers_lost: number;
};

export type Retry =
  | { retry: true; system: boolean; delay_ms: number; memory_factor: number }
  | { retry: false; system: boolean; error_class: string };

/** `random` is from 0 to 1 and spreads the retries of many lanes over time. */
export function afterFailure(failure: Failure, budget: Budget, random: number): Retry {
  const { error_class } = failure;
  const { fault, retry } = factsOfError(error_class);
  if (retry === 'never') return { retry: false, system: fault === 'platform', error_class };

  if (retry === 'always') return { retry: true, system: true, delay_ms: 0, memory_factor: 1 };
  if (retry === 'system') {
    // Work that crashes its workers must not take down all of them.
    if (budget.workers_lost >= 3) return { retry: false, system: true, error_class: 'poison' };
    const faults = budget.system_faults - budget.evictions + 1;
    if (faults > systemBudget) return { retry: false, system: true, error_class };
    return { retry: true, system: true, delay_ms: backoff(faults, random), memory_factor: 1 };
  }
  const userTries = budget.attempt - budget.system_faults;
  if (userTries >= budget.max_attempts || !isRetried(failure, budget.retry_on)) {
    return { retry: false, system: false, error_class };
  }
  const memory_factor = error_class === 'oom' ? oomFactor : 1;
  return { retry: true, system: false, delay_ms: backoff(userTries, random), memory_factor };
}

/** An empty list, with several attempts allowed, means any failure of the program. */
function isRetried({ error_class, exit_code }: Failure, on: readonly string[]) {
  return on.length === 0 || on.includes(error_class) || on.includes(`exit:${exit_code}`);
}

function backoff(tries: number, random: number) {
  return Math.round(Math.min(longest_ms, base_ms * 2 ** (tries - 1)) * (0.5 + 0.5 * random));
}
