/** What became of many that were changed together. */
import type { Changed } from '@cogworks/sdk/change-many';
import type { Cli } from './command.ts';
import { tellFault } from './errors.ts';

/**
 * Reports those that failed.
 *
 * @returns the others.
 * @throws the error if all would fail by it.
 */
export function tellFaults<Change extends Changed<unknown, unknown>>(
  cli: Cli,
  changed: readonly Change[],
): Change[] {
  for (const { error } of changed) if (error !== undefined) tellFault(cli, error);
  return changed.filter(({ error }) => error === undefined);
}
