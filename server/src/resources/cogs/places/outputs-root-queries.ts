/** SQL of the tenant's folder for the results of all runs. */
import type { Db } from '../../../db/connection.ts';

export async function findOutputsRootId(db: Db, tenantId: number): Promise<number | undefined> {
  const [folder] = await db<{ id: number }[]>`
    select id from cogs where tenant_id = ${tenantId} and purpose = 'workflow_outputs'
  `;
  return folder?.id;
}

/** Of concurrent calls, one adds it. It has no grants: only the tenant's admins own it. */
export function addOutputsRoot(db: Db, tenantId: number, rootId: number, name: string) {
  return db`
    insert into cogs (tenant_id, parent_id, name, cog_type, purpose, owner_id)
    select tenant_id, id, ${name}, 'asset_folder', 'workflow_outputs', owner_id
    from cogs
    where tenant_id = ${tenantId} and id = ${rootId}
    on conflict do nothing
  `;
}
