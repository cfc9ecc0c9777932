/**
 * What follows a failed attempt: another try, and when, or the end. Pure. The user's budget
 * (`retry` of the definition) and the platform's own are counted apart: a lost worker does not
 * cost the user an attempt.
 */
import { factsOfError } from '@cogworks/graph/error-classes';

const systemBudget = 3;
const base_ms = 5_000;
const longest_ms = 600_000;
const oomFactor = 1.5;

export type Failure = { error_class: string; exit_code?: number };

export type Budget = {
  /** Attempts made, this one included. */
  attempt: number;
  max_attempts: number;
  /** Attempts so far that were not the user's to pay, this one not included. */
  system_faults: number;
  /** Those of them that were stopped on purpose. */
  evictions: number;
  retry_on: readonly string[];
  /** Workers that were lost with it, this one included. */
  workers_lost: number;
};

export type Retry =
  | { retry: true; system: boolean; delay_ms: number; memory_factor: number }
  | { retry: false; system: boolean; error_class: string };

/** `random` is from 0 to 1 and spreads retries, so that a hundred lanes don't come back as one. */
export function afterFailure(failure: Failure, budget: Budget, random: number): Retry {
  const { error_class } = failure;
  const { fault, retry } = factsOfError(error_class);
  if (retry === 'never') return { retry: false, system: fault === 'platform', error_class };

  if (retry === 'always') return { retry: true, system: true, delay_ms: 0, memory_factor: 1 };
  if (retry === 'system') {
    // Work that takes its worker down with it must not take them all.
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

/** An empty list of a definition that allows several attempts means any failure of the program. */
function isRetried({ error_class, exit_code }: Failure, on: readonly string[]) {
  return on.length === 0 || on.includes(error_class) || on.includes(`exit:${exit_code}`);
}

function backoff(tries: number, random: number) {
  return Math.round(Math.min(longest_ms, base_ms * 2 ** (tries - 1)) * (0.5 + 0.5 * random));
}
