/**
 * Writes trees of files and folders straight into the tables, each in a tenant of its own. Neither
 * foreign keys nor triggers look at it, indexes are built afterwards, and it is not synced: the
 * database is thrown away.
 */
import type { Connection } from '../../../server/src/db/connection.ts';

export type Tree = {
  tenant_id: number;
  /** Files and folders. */
  cogs: number;
  /** A folder with a tenth of all cogs as its children. */
  root: number;
  wide: number;
  /** A folder with about a tenth of all cogs below it. */
  moved: number;
  /** A folder below forty others. */
  deepest: number;
  /** A file in a folder of about a hundred. */
  file: number;
};

const levels = 40;
const perFolder = 100;

/** @param onStep told of each step when it is done, with how long it took. */
export async function fillTrees(
  db: Connection,
  wanted: readonly { tenant_id: number; cogs: number }[],
  onStep: (name: string, seconds: number) => void,
): Promise<Tree[]> {
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    onStep(name, (performance.now() - began) / 1000);
    return result;
  };
  await setSyncing(db, 'off');
  const indexes = await dropIndexes(db);
  const trees: Tree[] = [];
  for (const { tenant_id, cogs } of wanted) {
    trees.push(await step(`${cogs} files and folders`, () => fillTree(db, tenant_id, cogs)));
  }
  for (const { name, definition } of indexes) {
    await step(name, () => db.script(`set maintenance_work_mem = '2GB'; ${definition}`));
  }
  await step('vacuum', () => db.script('vacuum (analyze)'));
  await setSyncing(db, 'on');
  await step('checkpoint', () => db.script('checkpoint'));
  return trees;
}

async function setSyncing(db: Connection, value: 'on' | 'off') {
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes'])
    await db.script(`alter system set ${name} = ${value}`);
  await db.script('select pg_reload_conf()');
}

/** Those that no constraint needs. */
async function dropIndexes(db: Connection) {
  const indexes = await db<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid in ('cogs'::regclass, 'objects'::regclass)
      and not exists (select from pg_constraint where conindid = indexrelid)
  `;
  for (const { name } of indexes) await db.script(`drop index ${name}`);
  return indexes;
}

/**
 * The place of each cog follows from its number, so that no other one has to be read: two folders
 * in the root, a chain of folders, all other folders, and then the files.
 */
async function fillTree(db: Connection, tenantId: number, cogs: number): Promise<Tree> {
  const folders = Math.floor(cogs / perFolder);
  const inMoved = Math.floor(folders * 0.115);
  const inWide = Math.floor(cogs / 10);
  const firstFolder = 2 + levels;
  const files = cogs - firstFolder - folders;
  const [start = { root: 0, owner: 0, cog: 0, object: 0 }] = await db<
    { root: number; owner: number; cog: number; object: number }[]
  >`
    select root.id as root, root.owner_id as owner,
      (select max(id) + 1 from cogs) as cog, (select coalesce(max(id), 0) + 1 from objects) as object
    from cogs as root where tenant_id = ${tenantId} and cog_type = 'master_folder'
  `;
  const { root, owner, cog, object } = start;
  const [wide, moved, chain, folder] = [cog, cog + 1, cog + 2, cog + firstFolder];
  await db.script(`
    begin;
    set local session_replication_role = replica;
    set local work_mem = '256MB';
    insert into cogs (id, tenant_id, parent_id, name, cog_type, owner_id, levels_below, updated_at)
    overriding system value
    select ${cog} + n, ${tenantId},
      case
        when n < 2 or n = 2 then ${root}
        when n < ${firstFolder} then ${cog} + n - 1
        when k < least(100, ${inMoved}) then ${moved}
        when k < ${inMoved} then ${folder} + (k - 100) / 50
        when j < 100 then ${root}
        when j % 50 = 0 then ${chain} + j / 50 % ${levels}
        else ${folder + inMoved} + (j - 100) / 8
      end,
      case n when 0 then 'Wide' when 1 then 'Moved' else 'Folder ' || n end, 'asset_folder', ${owner},
      case when n between 2 and ${firstFolder - 1} then ${levels} + 12 - n else 12 end,
      now() - n % 1000000 * interval '1 second'
    from generate_series(0, ${firstFolder + folders - 1}) as n,
      lateral (select n - ${firstFolder} as k, n - ${firstFolder + inMoved} as j) as numbers;
    update cogs set levels_below = ${levels + 20} where id = ${root};

    insert into objects (id, tenant_id, key, state, size_bytes, checksum_sha256)
    overriding system value
    select ${object} + n, ${tenantId}, '${tenantId}/' || gen_random_uuid(), 'live', n::bigint * 7919 % 10000000,
      encode(sha256(int8send(n)), 'hex')
    from generate_series(0, ${files - 1}) as n;

    insert into cogs
      (id, tenant_id, parent_id, name, cog_type, owner_id, object_id, size_bytes, mime_type, version, created_at, updated_at)
    overriding system value
    select ${cog + firstFolder + folders} + n, ${tenantId},
      case when n < ${inWide} then ${wide} else ${folder} + (n - ${inWide}) % ${folders} end,
      left(md5(n::text), 8) || ' scan ' || n || '.png', 'file', ${owner}, ${object} + n, n::bigint * 7919 % 10000000, 'image/png', 1,
      now() - n * interval '1 second', now() - n::bigint * 6101 % 10000000 * interval '1 second'
    from generate_series(0, ${files - 1}) as n;

    select setval(pg_get_serial_sequence('cogs', 'id'), ${cog + cogs});
    select setval(pg_get_serial_sequence('objects', 'id'), ${object + files});
    commit
  `);
  return {
    tenant_id: tenantId,
    cogs,
    root,
    wide,
    moved,
    deepest: chain + levels - 1,
    file: cog + cogs - 1,
  };
}
