/** Parses command lines, beyond Node's parseArgs. */
import { UsageProblem } from './problem.ts';

/** An option shared by all commands. */
export const json = { type: 'boolean', default: false } as const;

/**
 * @throws UsageProblem if a command gets too few or too many words, or an empty one: usually of a
 *   variable without a value, and never what was meant.
 */
export function requireCount(words: string[], { least = 0, most = Infinity, what = '' }) {
  if (words.length < least) throw new UsageProblem(`${what} is missing.`);
  if (words.includes('')) throw new UsageProblem(`${what || 'A word'} is empty.`);
  const [tooMuch] = words.slice(most);
  if (tooMuch !== undefined) throw new UsageProblem(`This is one word too many: ${tooMuch}`);
}

/** The only positional of commands about a run. */
export const readRunId = (words: string[]): number => readId(words, 'RUN_ID');

/** @param words no more than the one that is an id. @param what its name in the usage. */
export function readId(words: string[], what: string): number {
  requireCount(words, { least: 1, most: 1, what });
  const [word = ''] = words;
  const id = Number(word);
  if (!/^\d+$/.test(word) || !Number.isSafeInteger(id)) {
    throw new UsageProblem(`${what} is a number, not ${JSON.stringify(word)}.`);
  }
  return id;
}
