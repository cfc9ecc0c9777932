/** What holds for the rows of a tenant's tree at any time, whatever was done to it. */
import assert from 'node:assert/strict';
import type { Db } from '../src/db/connection.ts';

type Row = { id: number; levels_below: number; height: number };

/**
 * Every cog hangs on the root, so there is no loop; no two live siblings have one name; no folder
 * counts fewer levels below than there are; every content is a live object.
 */
export async function assertWholeTree(db: Db, tenantId: number): Promise<void> {
  const rows = await db<Row[]>`
    with recursive down as (
      select id, 0 as depth, array[id] as path from cogs
      where tenant_id = ${tenantId} and parent_id is null and cog_type = 'master_folder'
      union all
      select cogs.id, depth + 1, path || cogs.id
      from down join cogs on cogs.tenant_id = ${tenantId} and cogs.parent_id = down.id
    )
    select cogs.id, levels_below,
      (
        select max(below.depth) - down.depth
        from down as below
        join cogs as folder on folder.id = below.id and folder.cog_type <> 'file'
        where down.id = any(below.path)
      ) as height
    from down join cogs on cogs.id = down.id
  `;
  const [all] = await db<{ cogs: number; twins: number; lost: number }[]>`
    select
      (select count(*) from cogs where tenant_id = ${tenantId}) as cogs,
      (
        select count(*) from (
          select from cogs where tenant_id = ${tenantId} and deleted_at is null
          group by parent_id, name having count(*) > 1
        ) as twins
      ) as twins,
      (
        select count(*)
        from (
          select tenant_id, object_id from cogs where tenant_id = ${tenantId} and cog_type = 'file'
          union all
          select tenant_id, object_id from file_versions where tenant_id = ${tenantId}
        ) as content
        left join objects on objects.tenant_id = content.tenant_id and objects.id = object_id
        where objects.state is distinct from 'live'
      ) as lost
  `;
  assert.deepEqual({ ...all }, { cogs: rows.length, twins: 0, lost: 0 });
  for (const row of rows) assert.ok(row.levels_below >= (row.height ?? 0), JSON.stringify(row));
}
