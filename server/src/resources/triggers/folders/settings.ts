/** The folder of a trigger that new files fire. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { badField } from '../../../errors.ts';
import { requireAccess } from '../../permissions/access.ts';
import type { FolderColumns, FolderRow } from '../queries.ts';
import type { NewTrigger, TriggerChanges } from '../schema.ts';

/** The columns of a new folder trigger. @throws DomainError 403 or 404 for its folder, 422 */
export async function newFolderTrigger(
  tx: Db,
  caller: Caller,
  { folder_id, recursive = true, media_types, debounce_seconds = 10 }: NewTrigger,
): Promise<FolderColumns> {
  if (folder_id === undefined) throw badField('folder_id', 'Name the folder.', 'missing');
  await requireFolder(tx, caller, folder_id);
  return { folder_id, recursive, media_types: emptyAsAll(media_types), debounce_seconds };
}

/** @throws DomainError 403 or 404 for its folder, 422 */
export async function changedFolderTrigger(
  tx: Db,
  caller: Caller,
  before: FolderRow,
  {
    folder_id = before.folder_id,
    recursive = before.recursive,
    media_types = before.media_types,
    debounce_seconds = before.debounce_seconds,
  }: TriggerChanges,
): Promise<FolderRow> {
  if (folder_id === null) throw badField('folder_id', 'A trigger of new files needs a folder.');
  if (folder_id !== before.folder_id) await requireFolder(tx, caller, folder_id);
  const changes = { folder_id, recursive, media_types: emptyAsAll(media_types), debounce_seconds };
  return { ...before, ...changes };
}

const emptyAsAll = (types: string[] | undefined) => (types?.length ? types : undefined);

/** @throws DomainError 403 or 404, 422 for a file, and for the folder of a test, which will be gone */
export async function requireFolder(tx: Db, caller: Caller, id: number): Promise<void> {
  const { cog_type, purpose } = await requireAccess(tx, caller, id, 'view');
  if (cog_type === 'file') throw badField('folder_id', 'This is a file. Name a folder.');
  if (purpose === 'test_results')
    throw badField('folder_id', 'This folder is of a test, and is removed a day after it.');
}
