/** SQL of the storage's identity. */
import type { Db } from '../db/connection.ts';

export async function findStorageId(db: Db): Promise<string | undefined> {
  const [row] = await db<{ storage_id?: string }[]>`select storage_id from installation`;
  return row?.storage_id;
}

/** Records it as the installation's storage, unless there is one. @returns the current one. */
export async function claimStorageId(db: Db, id: string): Promise<string | undefined> {
  await db`update installation set storage_id = ${id} where storage_id is null`;
  return findStorageId(db);
}

/** Keys of some stored objects, the oldest ones, because these are most likely in any backup. */
export async function someStoredKeys(db: Db): Promise<string[]> {
  const rows = await db<{ key: string }[]>`
    select key from objects where state = 'live' order by id limit 20
  `;
  return rows.map(({ key }) => key);
}
