/**
 * Values that PostgreSQL cannot store, and that no request and no message may contain: U+0000, lone
 * surrogates, and JSON numbers beyond a double. Only this check looks for them; later code may store
 * what it receives.
 */
import { mostFaults } from './errors.ts';

export type Unstorable = { trail: (string | number)[]; message: string };

/** At most one more than an answer lists. */
export function unstorable(data: unknown): Unstorable[] {
  const faults: Unstorable[] = [];
  search(data, [], faults);
  return faults;
}

/** Recursive: bodies are no deeper than `mostLevels`. */
function search(value: unknown, trail: (string | number)[], faults: Unstorable[]): void {
  if (faults.length > mostFaults) return;
  if (typeof value === 'string') {
    if (!isStorable(value)) faults.push(fault(trail, badText));
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) faults.push(fault(trail, badNumber));
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      searchBelow(index, value[index], trail, faults);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (isStorable(key)) searchBelow(key, member, trail, faults);
      else faults.push(fault(trail, badKey));
    }
  }
}

function searchBelow(
  step: string | number,
  value: unknown,
  trail: (string | number)[],
  faults: Unstorable[],
) {
  trail.push(step);
  search(value, trail, faults);
  trail.pop();
}

export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

const badText = 'must not contain U+0000 or half of a surrogate pair';
const badKey = 'must not have a key with U+0000 or half of a surrogate pair';
const badNumber = 'must be a number that a double can hold';

const fault = (trail: readonly (string | number)[], message: string): Unstorable => ({
  trail: [...trail],
  message,
});
