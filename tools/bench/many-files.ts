/**
 * Files written directly into the tables, all with the same byte, for measurements that depend only
 * on their number.
 */
import type { Connection } from '../../server/src/db/connection.ts';

/** @returns the folders below `parentId`, each with `perFolder` files. */
export async function insertFiles(
  db: Connection,
  {
    tenantId,
    parentId,
    folders,
    perFolder,
  }: Record<'tenantId' | 'parentId' | 'folders' | 'perFolder', number>,
): Promise<number[]> {
  const [object] = await db<{ id: number }[]>`
    insert into objects (tenant_id, key, state, size_bytes, checksum_sha256)
    values (${tenantId}, ${tenantId} || '/' || gen_random_uuid(), 'live', 1, ${'0'.repeat(64)})
    returning id
  `;
  const [owner] = await db<{ id: number }[]>`
    select min(id) as id from users where tenant_id = ${tenantId}
  `;
  const made = await db<{ id: number }[]>`
    insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
    select ${tenantId}, ${parentId}, ${perFolder} || ' files, folder ' || n, 'asset_folder', ${owner?.id ?? 0}
    from generate_series(1, ${folders}) as n
    returning id
  `;
  for (const { id } of made) {
    await db`
      insert into cogs
        (tenant_id, parent_id, name, cog_type, owner_id, object_id, size_bytes, mime_type, version)
      select ${tenantId}, ${id}, md5(${id} || ' ' || n) || ' report ' || n || '.pdf', 'file',
             ${owner?.id ?? 0}, ${object?.id ?? 0}, 1, 'application/pdf', 1
      from generate_series(1, ${perFolder}) as n
    `;
  }
  await db`analyze cogs`;
  return made.map(({ id }) => id);
}
