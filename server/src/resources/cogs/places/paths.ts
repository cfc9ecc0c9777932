/**
 * Cogs by their path of names. A path leads only through folders that the caller may see; what they
 * may not see does not exist, as in a list.
 */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Tag } from '../../../db/statement.ts';
import { visibleAmong } from '../cogs.ts';
import type { Cog } from '../schema.ts';
import { findSteps, findStepsFromShared, type StepRow } from './path-queries.ts';
import { ofRoot } from './root.ts';

/**
 * The cogs on a path from the root, which is the first, as far as it exists for the caller. One
 * statement, whatever the number of names.
 *
 * @param db creates the root on first use.
 */
export async function followPath(
  db: Db,
  caller: Caller,
  names: readonly string[],
  readDb: Tag = db,
): Promise<Cog[]> {
  const steps = await ofRoot(db, caller, async () => {
    const rows = await findSteps(readDb, caller, names);
    return rows.length > 0 ? rows : undefined;
  });
  return shownSteps(caller, steps);
}

/**
 * The same from a cog that was shared with the caller and that they reach by no folder
 * (`listOutOfReach`). Of several with one name, the first is meant unless an id is given.
 */
export async function followSharedPath(
  db: Db,
  caller: Caller,
  start: { name: string; id: number | undefined },
  names: readonly string[],
): Promise<Cog[]> {
  return shownSteps(caller, await findStepsFromShared(db, caller, start, names));
}

/** Up to the first that the caller may not see. Access is inherited on the way down. */
function shownSteps(caller: Caller, rows: readonly StepRow[]): Cog[] {
  const steps: Cog[] = [];
  let inherited: StepRow['deciding'];
  for (const row of rows) {
    inherited = row.deciding ?? inherited;
    const [step] = visibleAmong(caller, [inherited ? { ...row, deciding: inherited } : row]);
    if (!step) break;
    steps.push(step);
  }
  return steps;
}
