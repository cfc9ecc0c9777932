/** SQL of the folders for results of tests. */
import type { Db } from '../../../db/connection.ts';
import { grantingMakers } from '../../permissions/access.ts';

export async function addTestFolder(
  tx: Db,
  tenantId: number,
  ownerId: number,
  name: string,
): Promise<number> {
  const [folder] = await tx<{ id: number }[]>`
    with added as (
      insert into cogs (tenant_id, name, cog_type, purpose, owner_id)
      values (${tenantId}, ${name}, 'asset_folder', 'test_results', ${ownerId})
      returning id, owner_id
    ),
    granted as (${grantingMakers(tx, tenantId, tx`added`)})
    select id from added
  `;
  if (!folder) throw new Error('An insert gave no row.');
  return folder.id;
}

/** Marks them as purged. @returns them. */
export const purgeTestFolders = (tx: Db, ids: readonly number[]) => tx<
  { id: number; tenant_id: number; name: string }[]
>`
  update cogs
  set deleted_at = now(), purged_at = now()
  where id = any(${ids}::bigint[]) and purpose = 'test_results' and purged_at is null
  returning id, tenant_id, name
`;
