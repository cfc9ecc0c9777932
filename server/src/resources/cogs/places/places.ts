/** Where something may be created: checks the folder, the right to add to it, and the name. */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { forbidden, invalid } from '../../../errors.ts';
import { type Granted, reachedBy, requireNeed } from '../../permissions/access.ts';
import { requireFreeName } from './outputs-root.ts';
import { findPlaces, lockFolders, type Place } from './queries.ts';
import { rootId } from './root.ts';

/**
 * Locks the folder against deletion and checks that the user may add to it; the root by default.
 *
 * @throws DomainError 404, 403 without the right, 400 for a file.
 */
export async function requireFolder(
  tx: Db,
  caller: Pick<Caller, 'tenant_id' | 'user_id'>,
  parent_id: number | undefined,
): Promise<Granted> {
  const { tenant_id, user_id } = caller;
  const wanted = [{ user_id, parent_id, name: '' }];
  // A separate, first statement: one that waits for a lock reads other rows as of before the wait.
  const locks = lockFolders(tx, tenant_id, wanted, 'wait').send();
  const [, [place]] = await Promise.all([locks, findPlaces(tx, tenant_id, wanted)]);
  if (!place && parent_id === undefined) {
    return requireFolder(tx, caller, await rootId(tx, caller));
  }
  return folderOf(place);
}

/**
 * The folder of a place. @throws DomainError unless the user may create something of that name
 * there.
 */
export function requirePlace(place: Place | undefined, name: string): Granted {
  const folder = folderOf(place);
  requireFreeName(folder, name);
  return folder;
}

function folderOf(place: Place | undefined): Granted {
  if (place && place.status !== 'active') throw forbidden('This user is disabled.');
  const folder = requireNeed(place && reachedBy(place.role, place), 'upload');
  if (folder.cog_type === 'file') {
    throw invalid('This is a file, not a folder: nothing can be put into it.');
  }
  return folder;
}
