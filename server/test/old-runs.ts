/**
 * Runs as stored by releases before migration 0070: each with its own graph, a counter row per
 * node, and a row for every node run from the start.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from '../src/db/connection.ts';
import { hashOfSecret } from '../src/keys/secret-text.ts';

type Row = Record<string, unknown>;

/** The tenant and worker of the runs, and the bytes of all their outputs. */
export type OldPlace = {
  tenant_id: number;
  started_by: number;
  worker_id: number;
  object_id: number;
};

/** One node run with its dependent rows. `lane`: absent if the node runs once. */
export type OldNodeRun = Row & {
  id: number;
  node_key: string;
  status: string;
  lane?: number;
  attempts?: (Row & { id: number; status: string; log?: string })[];
  /** Names of the files on its port `out`. */
  outputs?: string[];
  /** The earliest hand-out, if queued. */
  not_before?: string;
};

export type OldRun = Row & {
  id: number;
  version_id: number;
  status: string;
  /** By input of the graph. */
  files?: Record<string, number[]>;
  nodes: (Row & { key: string; expected: number | null })[];
  node_runs: OldNodeRun[];
};

const longAgo = '2026-01-02T03:04:05.000Z';
const needs = { cpu: 0.5, memory_mb: 64, gpu: 0, disk_mb: 64 };
const checksum_sha256 = 'a'.repeat(64);

/** The lease token of an attempt. */
export const tokenOf = (attemptId: number): string =>
  `00000000-0000-4000-8000-${String(attemptId).padStart(12, '0')}`;

/** Adds an enrolled worker: this release's API uses columns that are not there yet. */
export async function addOldWorker(
  db: Db,
  tenant_id: number,
): Promise<{ id: number; token: string }> {
  const token = `wkt_${randomBytes(32).toString('base64url')}`;
  const capacity = { cpu: 8, memory_mb: 16_384, gpu: 0, disk_mb: 100_000 };
  const [row] = await db<{ id: number }[]>`
    insert into workers (tenant_id, name, token_hash, capacity, last_heartbeat_at)
    values (${tenant_id}, 'old', ${hashOfSecret(token)}, ${db.json(capacity)}, now())
    returning id
  `;
  if (!row) throw new Error('The worker was not added.');
  return { id: row.id, token };
}

/** Adds a run with all its rows. Ids are given, because they need not be consecutive. */
export async function addOldRun(db: Db, place: OldPlace, run: OldRun): Promise<void> {
  const { version_id, files = {}, nodes, node_runs, ...given } = run;
  const { tenant_id, started_by } = place;
  const [version] = await db<{ workflow_id: number; graph: { nodes: Row[] } }[]>`
    select workflow_id, graph from workflow_versions where id = ${version_id}
  `;
  if (!version) throw new Error(`There is no version ${version_id}.`);
  const of = { tenant_id, run_id: run.id };
  await add(db, 'workflow_runs', {
    ...{ tenant_id, started_by, workflow_id: version.workflow_id, graph: version.graph },
    ...{ workflow_version_id: version_id, test_run: false, extra_variables: {} },
    ...{ priority: 'normal', on_failure: 'continue', progress_percentage: 0 },
    ...{ created_at: longAgo, started_at: longAgo, ...given },
  });
  const counted = { running: 0, success: 0, failure: 0, cancelled: 0, reused: 0 };
  for (const [position, { key, ...counters }] of nodes.entries()) {
    const node = version.graph.nodes.find((one) => one.key === key);
    await add(db, 'run_nodes', {
      ...{ ...of, node_key: key, position, node_definition_id: node?.node_definition_id },
      ...{ ...counted, skipped_by_condition: 0, skipped_upstream: 0, ...counters },
    });
  }
  for (const [input_name, cogs] of Object.entries(files))
    for (const [at, cog_id] of cogs.entries()) await addFile(db, of, input_name, at, cog_id);
  for (const row of node_runs) await addNodeRun(db, { ...place, run_id: run.id }, row);
}

/** A user's files in the root, without bytes: this release's API would write columns that are not there yet. */
export async function addOldFiles(
  db: Db,
  { tenant_id, owner_id }: { tenant_id: number; owner_id: number },
  names: readonly string[],
): Promise<number[]> {
  const files = await db<{ id: number }[]>`
    with root as (
      insert into cogs (tenant_id, name, cog_type, owner_id)
      values (${tenant_id}, 'All', 'master_folder', ${owner_id})
      returning id
    ),
    stored as (
      insert into objects (tenant_id, key, state, size_bytes, checksum_sha256)
      select ${tenant_id}, ${tenant_id} || '/' || gen_random_uuid(), 'live', 1, ${checksum_sha256}
      from generate_series(1, ${names.length}::int)
      returning id
    ),
    numbered as (select id, row_number() over (order by id) as place from stored),
    added as (
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id, object_id, mime_type, version)
      select ${tenant_id}, root.id, name, 'file', ${owner_id}, numbered.id, 'text/plain', 1
      from unnest(${names as string[]}::text[]) with ordinality as wanted (name, place)
      join numbered using (place)
      cross join root
      order by place
      returning id
    )
    insert into permissions (tenant_id, cog_id, user_id, level, created_by)
    select ${tenant_id}, id, ${owner_id}, 'owner', ${owner_id} from added order by id
    returning cog_id as id
  `;
  return files.map(({ id }) => id);
}

async function addFile(db: Db, of: Row, input_name: string, position: number, cog_id: number) {
  const [cog] = await db<{ object_id: number }[]>`select object_id from cogs where id = ${cog_id}`;
  await add(db, 'run_files', {
    ...{ ...of, ...cog, direction: 'input', status: 'pending', input_name, position, cog_id },
    ...{ name: `${cog_id}.txt`, media_type: 'text/plain', size_bytes: 1, checksum_sha256 },
    created_at: longAgo,
  });
}

async function addNodeRun(
  db: Db,
  { tenant_id, run_id, worker_id, object_id }: OldPlace & { run_id: number },
  { lane, attempts = [], outputs = [], not_before, ...given }: OldNodeRun,
) {
  const of = { tenant_id, run_id };
  await add(db, 'node_runs', {
    ...{ ...of, shard_index: lane, attempt: attempts.length, max_attempts: 1, system_faults: 0 },
    ...{ memory_mb: 64, fraction: 0, queued_at: longAgo, ...given },
  });
  for (const { log, ...attempt } of attempts) {
    await add(db, 'attempts', {
      ...{ ...of, ...needs, node_run_id: given.id, worker_id, leased_at: longAgo },
      ...{ started_at: longAgo, lease_token: tokenOf(attempt.id), lease_extended: false },
      ...{ lease_expires_at: '2100-01-01T00:00:00Z', log_bytes: log?.length ?? 0, ...attempt },
    });
    const bytes = `\\x${Buffer.from(log ?? '').toString('hex')}`;
    const piece = { tenant_id, attempt_id: attempt.id, start_offset: 0, bytes };
    if (log !== undefined) await add(db, 'attempt_logs', piece);
    if (attempt.status === 'running') continue;
    await add(db, 'usage_events', {
      ...{ ...of, attempt_id: attempt.id, node_run_id: given.id, seconds: 1, cpu: 0.5 },
      ...{ memory_mb: 64, gpu: 0, millicredits: 9, created_at: longAgo },
    });
  }
  for (const [position, name] of outputs.entries())
    await add(db, 'node_run_outputs', {
      ...{ ...of, node_run_id: given.id, port: 'out', position, media_type: 'text/plain' },
      ...{ name, object_id, size_bytes: 1, checksum_sha256 },
    });
  if (given.status === 'queued')
    await add(db, 'ready_queue', {
      ...{ ...of, ...needs, node_run_id: given.id, band: 1, egress: false },
      not_before: not_before ?? longAgo,
    });
}

/** Adds a row of these columns. */
async function add(db: Db, table: string, row: Row): Promise<void> {
  const names = Object.keys(row).join(', ');
  const values = JSON.stringify(row).replaceAll("'", "''");
  await db.script(`
    insert into ${table} (${names}) overriding system value
    select ${names} from jsonb_populate_record(null::${table}, '${values}')
  `);
}
