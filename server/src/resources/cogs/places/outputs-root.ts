/**
 * The tenant's folder for the results of all runs, `Workflow outputs` in the root. It is shared
 * like the root: every member sees it, creates folders in it, and sees what grants show. It cannot
 * be renamed, moved or deleted, and its name in the root is reserved even before it exists.
 */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { conflict, forbidden } from '../../../errors.ts';
import type { Reached } from '../../permissions/access.ts';
import { numberedName } from './names.ts';
import { addOutputsRoot, findOutputsRootId } from './outputs-root-queries.ts';

const outputsName = 'Workflow outputs';

/** Its id; created if it does not exist. */
export async function outputsRootId(tx: Db, tenantId: number, rootId: number): Promise<number> {
  // Numbered only if an earlier release, still running during an update, has created one too.
  for (let number = 1; number < 100; number++) {
    const found = await findOutputsRootId(tx, tenantId);
    if (found !== undefined) return found;
    const name = number === 1 ? outputsName : numberedName(outputsName, number);
    await addOutputsRoot(tx, tenantId, rootId, name);
  }
  throw new Error(`Tenant ${tenantId} has no folder of results.`);
}

/** @throws DomainError 409 `name_reserved` for its name in the root. */
export function requireFreeName(
  { depth, purpose }: Pick<Reached, 'depth' | 'purpose'>,
  name: string,
): void {
  if (depth > 0 || purpose !== undefined || name !== outputsName) return;
  throw conflict('name_reserved', `"${outputsName}" is the name of the folder for all results.`);
}

/** @throws DomainError 409 `shared_folder` if it is this folder, `test_results` for a test's. */
export function requireNoPurpose({ purpose }: Pick<Reached, 'purpose'>): void {
  if (purpose === undefined) return;
  if (purpose === 'test_results')
    throw conflict(
      'test_results',
      'The folder of a test cannot be renamed, moved or deleted. It is removed by itself; copy or move files out of it to keep them.',
    );
  throw conflict(
    'shared_folder',
    'The folder for all results belongs to everybody: it cannot be renamed, moved or deleted.',
  );
}

/**
 * Runs find their starter's folder in it by owner and name. So users may not move in or rename what
 * others created there: the next results could go into a folder that others can read.
 *
 * @throws DomainError `forbidden`, except for tenant admins.
 */
export function requireOwnIn(
  folder: Pick<Reached, 'purpose'>,
  cog: Pick<Reached, 'owner_id'>,
  { user_id, role }: Pick<Caller, 'user_id' | 'role'>,
): void {
  if (folder.purpose !== 'workflow_outputs') return;
  if (role === 'admin' || cog.owner_id === user_id) return;
  throw forbidden(
    `Into "${outputsName}" everybody moves, and in it renames, only what they made themselves.`,
  );
}

/**
 * For the same reason nobody hands over what is directly in it: the next results of the new owner
 * could go into a folder that the old one still reads.
 *
 * @throws DomainError `forbidden`, except for tenant admins.
 */
export function requireMayHandOverIn(
  folder: Pick<Reached, 'purpose'> | undefined,
  { role }: Pick<Caller, 'role'>,
): void {
  if (folder?.purpose !== 'workflow_outputs' || role === 'admin') return;
  throw forbidden(`Only admins hand over what is directly in "${outputsName}". Share it instead.`);
}
