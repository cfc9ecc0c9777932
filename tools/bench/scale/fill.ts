/**
 * Writes a large installation straight into the tables: tenants with folders and files, and ended
 * runs with all that was kept of them. Half of everything is the first tenant's. Neither foreign
 * keys nor triggers look at it, and it is not synced: the database is thrown away.
 */
import type { Connection } from '../../../server/src/db/connection.ts';

export type Sizes = { tenants: number; cogs: number; nodeRuns: number };

/** Lanes of a run of the graph Fan, which has one node run more. */
export const lanes = 100;
const files = 100;
const days = 20;

type Step = [name: string, script: string];

/** @param onStep told of each step when it is done, with how long it took. */
export async function fill(
  db: Connection,
  sizes: Sizes,
  onStep: (name: string, seconds: number) => void,
): Promise<void> {
  await setSyncing(db, 'off');
  for (const [name, script] of [...steps(sizes), ...counters]) {
    const began = performance.now();
    await db.script(
      `begin; set local session_replication_role = replica; set local work_mem = '256MB'; ${script}; commit`,
    );
    onStep(name, (performance.now() - began) / 1000);
  }
  await setSyncing(db, 'on');
  await db.script('vacuum (analyze)');
  await db.script('checkpoint');
}

async function setSyncing(db: Connection, value: 'on' | 'off') {
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes'])
    await db.script(`alter system set ${name} = ${value}`);
  await db.script('select pg_reload_conf()');
}

/** The tenant of something by its number: every second one is the first tenant's. */
const tenantOf = (number: string, { tenants }: Sizes) =>
  `(select id from places where place = case when ${number} % 2 = 0 then 0 else 1 + ${number} / 2 % ${tenants - 1} end)`;

function steps(sizes: Sizes): Step[] {
  // A whole number of turns through the tenants: file n and run n are of one tenant.
  const turn = 2 * (sizes.tenants - 1);
  const folders = Math.ceil(sizes.cogs / files / turn) * turn;
  const fans = Math.floor((sizes.nodeRuns * 0.7) / (lanes + 1));
  const chains = Math.floor((sizes.nodeRuns - fans * (lanes + 1)) / 3);
  return [...people(sizes), ...tree(sizes, folders), ...runs(sizes, chains, fans)];
}

function people({ tenants }: Sizes): Step[] {
  return [
    [
      'tenants and their members',
      `insert into tenants (name, sealed_key)
       select 'Tenant ' || n, sealed_key
       from generate_series(2, ${tenants}) as n, (select * from tenants order by id limit 1) as first;
       create table places as select id, row_number() over (order by id)::int - 1 as place from tenants;
       create index on places (place);
       insert into users (tenant_id, email, role, issuer, subject)
       select id, 'm' || n || '@t' || place || '.example', case when n = 0 then 'admin' else 'member' end,
         'filled', place || ' ' || n
       from places, generate_series(0, 49) as n where place > 0 or n > 0`,
    ],
    [
      'workflows',
      `insert into workflows (tenant_id, name, created_by)
       select places.id, name, (select min(id) from users where tenant_id = places.id)
       from places, workflows where place > 0 and tenant_id = (select id from places where place = 0);
       insert into workflow_versions (tenant_id, workflow_id, version_number, state, graph, graph_hash, created_by)
       select made.tenant_id, made.id, 1, 'published', version.graph, version.graph_hash, made.created_by
       from workflows as made
       join workflows as source on source.name = made.name and source.tenant_id = (select id from places where place = 0)
       join workflow_versions as version on version.id = source.latest_version_id
       where made.tenant_id <> source.tenant_id;
       update workflows set latest_version_id = version.id, published_version_id = version.id
       from workflow_versions as version
       where version.workflow_id = workflows.id and latest_version_id is null;
       insert into run_graphs
       select places.id, hash, graph, node_keys, definition_ids, mapped, lane_inputs
       from run_graphs, places where place > 0 and tenant_id = (select id from places where place = 0)`,
    ],
  ];
}

/** A hundred folders in the root, and the others in these; one of them has a twentieth of all files. */
function tree(sizes: Sizes, folders: number): Step[] {
  const owner = '(select min(id) from users where users.tenant_id = tenant.id)';
  return [
    [
      'folders',
      `insert into cogs (tenant_id, name, cog_type, owner_id)
       select id, 'All', 'master_folder', ${owner} from places as tenant
       on conflict do nothing;
       insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
       select id, (select id from cogs where tenant_id = tenant.id and parent_id is null),
         'Top ' || n, 'asset_folder', ${owner}
       from places as tenant, generate_series(0, 99) as n;
       create table filled_folders as
         select n, ${tenantOf('n', sizes)} as tenant_id, 0::bigint as id from generate_series(0, ${folders - 1}) as n;
       insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
       select tenant_id, (
           select id from cogs
           where cogs.tenant_id = folder.tenant_id and name = 'Top ' || n / 40 % 100 and cog_type = 'asset_folder'
           limit 1
         ), 'Folder ' || n, 'asset_folder', (select min(id) from users where users.tenant_id = folder.tenant_id)
       from filled_folders as folder;
       update filled_folders set id = cogs.id
       from cogs where cogs.tenant_id = filled_folders.tenant_id and cogs.name = 'Folder ' || n
         and cogs.cog_type = 'asset_folder';
       create index on filled_folders (n);
       analyze filled_folders, cogs`,
    ],
    [
      'objects',
      `insert into objects (tenant_id, key, state, size_bytes, checksum_sha256)
       select folder.tenant_id, folder.tenant_id || '/' || gen_random_uuid(), 'live', number % 100000,
         encode(sha256(number::text::bytea), 'hex')
       from generate_series(0, ${folders * files - 1}) as number
       join filled_folders as folder on folder.n = number / ${files}
       order by number;
       create table filled_files as
         select row_number() over (order by id) - 1 as n, id as object_id, tenant_id,
           nextval(pg_get_serial_sequence('cogs', 'id')) as cog_id
         from objects where state = 'live' and checksum_sha256 <> repeat('0', 64)
         order by id desc limit ${folders * files};
       update filled_files set n = n - least from (select min(n) as least from filled_files) as first;
       create index on filled_files (n);
       analyze filled_files;
       insert into objects (tenant_id, key, state)
       select id, id || '/' || gen_random_uuid(), 'dead' from places, generate_series(1, 50)`,
    ],
    [
      'files',
      `insert into cogs
         (id, tenant_id, parent_id, name, cog_type, owner_id, object_id, size_bytes, mime_type, version)
       overriding system value
       select cog_id, file.tenant_id, folder.id, left(md5(file.n::text), 12) || ' report ' || file.n || '.pdf',
         'file', members.ids[1 + file.n % 50], object_id, file.n % 100000, 'application/pdf', 1
       from filled_files as file
       join filled_folders as folder on folder.n =
         case when file.n / ${files} % 2 = 0 and file.n % 10 = 0 then 0 else file.n / ${files} end
       join (select tenant_id, array_agg(id order by id) as ids from users group by tenant_id) as members
         on members.tenant_id = file.tenant_id
       order by cog_id`,
    ],
    [
      'grants',
      `insert into permissions (tenant_id, cog_id, user_id, level, created_by)
       select tenant_id, cogs.id, owner_id, case cogs.id % 3 when 0 then 'viewer' when 1 then 'editor' else 'owner' end,
         owner_id
       from cogs where cog_type = 'file' and cogs.id % 5 = 0;
       insert into permissions (tenant_id, cog_id, user_id, level, created_by)
       select tenant_id, folder.id, users.id, 'viewer', users.id
       from filled_folders as folder join users using (tenant_id) where n < 2;
       analyze objects, cogs, permissions`,
    ],
  ];
}

function runs(sizes: Sizes, chains: number, fans: number): Step[] {
  const numbered = (name: string, count: number, width: number, shift: number) => `
    insert into filled_runs
    select nextval(pg_get_serial_sequence('workflow_runs', 'id')), ${tenantOf('n', sizes)}, n, '${name}',
      ids.first + ${shift} + n::bigint * ${width}, now() - interval '${days} days' * (1 - n::float8 / ${count})
    from generate_series(0, ${count - 1}) as n,
      (select (nextval('node_run_id_blocks') + 1) * 262144 as first) as ids`;
  return [
    [
      'numbers of runs',
      `create table filled_runs
         (id bigint, tenant_id bigint, n int, name text, first_id bigint, at timestamptz);
       ${numbered('Chain', chains, 3, 0)};
       ${numbered('Fan', fans, lanes + 1, chains * 3)};
       select setval('node_run_id_blocks', (select max(first_id) / 262144 + 2 from filled_runs));
       analyze filled_runs`,
    ],
    [
      'runs',
      `insert into workflow_runs
         (id, tenant_id, workflow_id, workflow_version_id, status, extra_variables, started_by, test_run,
          progress_percentage, created_at, started_at, finished_at, graph_hash, node_counts, first_ids)
       overriding system value
       select run.id, run.tenant_id, workflow.id, workflow.latest_version_id, 'success', '{}', workflow.created_by,
         false, 100, at, at, at + interval '1 minute', graph.hash,
         case run.name when 'Chain' then '{1,1,0,1,0,0,0,0,0,1,1,0,1,0,0,0,0,0,1,1,0,1,0,0,0,0,0}'::int[]
           else '{${lanes},${lanes},0,${lanes},0,0,0,0,0,1,1,0,1,0,0,0,0,0}'::int[] end,
         case run.name when 'Chain' then array[first_id, first_id + 1, first_id + 2]
           else array[first_id, first_id + ${lanes}] end
       from filled_runs as run
       join workflows as workflow on workflow.tenant_id = run.tenant_id and workflow.name = run.name
       join run_graphs as graph on graph.tenant_id = run.tenant_id
         and cardinality(graph.node_keys) = case run.name when 'Chain' then 3 else 2 end
       order by run.id`,
    ],
    [
      'node runs',
      `insert into begun_node_runs
         (id, tenant_id, run_id, node_key, shard_index, status, attempt, worker_id, exit_code, queued_at,
          started_at, finished_at)
       select run.first_id + lane, tenant_id, run.id,
         case when name = 'Chain' then chr(97 + lane) when lane = ${lanes} then 'gather' else 'lane' end,
         case when name = 'Fan' and lane < ${lanes} then lane end,
         'success', 1, 1, 0, at, at, at + interval '1 minute'
       from filled_runs as run
       cross join lateral generate_series(0, case name when 'Chain' then 2 else ${lanes} end) as lane
       order by run.first_id`,
    ],
    [
      'attempts',
      `insert into attempts
         (id, tenant_id, run_id, node_run_id, worker_id, lease_token, lease_expires_at, status, cpu, memory_mb,
          gpu, disk_mb, leased_at, started_at, finished_at, exit_code, log_bytes, number, position)
       select id + 65536 * 1000, tenant_id, run_id, id, 1, gen_random_uuid(), finished_at, 'success', 0.01, 16, 0, 1,
         started_at, started_at, finished_at, 0, case when id % 4 = 0 then 60 else 0 end, 1,
         case when node_key in ('b', 'gather') then 1 when node_key = 'c' then 2 else 0 end
       from begun_node_runs where status = 'success' and attempt = 1 order by id;
       select setval('attempt_id_blocks', (select max(id) from attempts) / 65536 + 1)`,
    ],
    [
      'usage',
      `insert into usage_events
         (attempt_id, tenant_id, run_id, node_run_id, seconds, cpu, memory_mb, gpu, millicredits, created_at)
       select id, tenant_id, run_id, node_run_id, 60, cpu, memory_mb, gpu, 10, finished_at
       from attempts where status = 'success' order by id`,
    ],
    [
      'logs',
      `insert into attempt_logs (tenant_id, attempt_id, start_offset, bytes)
       select tenant_id, id, 0, convert_to(repeat('x', 60), 'UTF8') from attempts where log_bytes > 0`,
    ],
    [
      'files of runs',
      `insert into run_files
         (tenant_id, run_id, direction, cog_id, input_name, position, name, media_type, object_id, size_bytes,
          checksum_sha256, status, created_at)
       select run.tenant_id, run.id, 'input', file.cog_id, 'files', lane, lane || ' report.pdf', 'application/pdf',
         file.object_id, 1000, repeat('0', 64), 'success', at
       from filled_runs as run
       cross join generate_series(0, ${lanes - 1}) as lane
       join filled_files as file on file.n = (run.n::bigint * ${lanes} + lane) % (select count(*) from filled_files)
       where run.name = 'Fan'
       order by run.id, lane`,
    ],
    [
      'outputs',
      `insert into node_run_outputs
         (tenant_id, run_id, node_run_id, port, position, name, media_type, object_id, size_bytes, checksum_sha256)
       select run.tenant_id, run.id, run.first_id + lane, 'out', 0, 'result.pdf', 'application/pdf',
         file.object_id, 1000, repeat('0', 64)
       from filled_runs as run
       cross join generate_series(0, ${lanes}) as lane
       join filled_files as file on file.n = (run.n::bigint * ${lanes} + lane) % (select count(*) from filled_files)
       where run.name = 'Fan'
       order by run.id, lane`,
    ],
  ];
}

/** Identity columns go on behind what was filled; helping tables go. */
const counters: Step[] = [
  ['numbers', 'drop table filled_files, filled_folders, filled_runs, places'],
];
