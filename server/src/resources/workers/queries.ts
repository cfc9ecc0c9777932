/** SQL of workers and their enrolment. */
import type { Resources } from '@cogworks/graph/resources';
import type { DesiredState, WorkerStatus } from '@cogworks/graph/statuses';
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { AttemptRow } from '../../engine/records.ts';
import { type LostOrder, lostOrders } from '../../engine/tables/attempts.ts';
import { eventsChannel } from '../../engine/tables/run-events.ts';
import type { Page } from '../../pages.ts';
import type { Heartbeat, ProcessStart, WorkerTask } from './schema.ts';
import type { ProcessState } from './standing.ts';

export type WorkerRow = {
  id: number;
  tenant_id?: number;
  name: string;
  scope: 'platform' | 'tenant';
  status: WorkerStatus;
  desired_state: DesiredState;
  last_heartbeat_at?: string;
  /** The epoch of the current process; see standing.ts. */
  epoch?: number;
  labels: string[];
  capacity: Resources;
  features: 'egress'[];
  in_use: Partial<Resources>;
  version: string;
  enrollment_token_id?: number;
  created_at: string;
};

/** As its users see it. */
export type ShownWorker = WorkerRow & { work: WorkerTask[] };

/** Whether the process is gone: it signed off, or was not heard from for a lease. */
const isGone = (db: Db, leaseSeconds: number) => db`
  stopped_at is not null
  or last_heartbeat_at is null
  or last_heartbeat_at < now() - make_interval(secs => ${leaseSeconds})
`;

const columns = (db: Db, leaseSeconds: number) => db`
  id, tenant_id, name, desired_state, last_heartbeat_at, epoch, labels, capacity, features, in_use,
  version, enrollment_token_id, created_at,
  case when tenant_id is null then 'platform' else 'tenant' end as scope,
  case
    when desired_state = 'disabled' then 'disabled'
    when ${isGone(db, leaseSeconds)} then 'offline'
    when desired_state = 'draining' then 'draining'
    else 'online'
  end as status
`;

/** What a worker does for a tenant, by step of a run. */
const workFor = (db: Db, tenantId: number) => db`
  coalesce((
    select jsonb_agg(task order by since)
    from (
      select
        run.id as workflow_run_id, run.workflow_id, graph.node_keys[position + 1] as node_key,
        attempts, since
      from (
        select run_id, position, count(*) as attempts, min(leased_at) as since
        from attempts
        where worker_id = workers.id and tenant_id = ${tenantId}
          and status in ('leased', 'running')
        group by run_id, position
        order by since, run_id, position
        limit 20
      ) as live
      join workflow_runs as run on run.tenant_id = ${tenantId} and run.id = live.run_id
        and run.deleted_at is null
      join run_graphs as graph on graph.tenant_id = run.tenant_id and graph.hash = run.graph_hash
    ) as task
  ), '[]') as work
`;

/** How many workers of all tenants there are, by status. */
export const countWorkers = (db: Db, leaseSeconds: number) => db<
  { status: string; count: number }[]
>`
  select status, count(*) as count
  from (select ${columns(db, leaseSeconds)} from workers where deleted_at is null) as worker
  group by status
`;

export async function addEnrollmentToken(
  db: Db,
  tenantId: number | null,
  userId: number | null,
  hash: Buffer,
  seconds: number,
): Promise<{ id: number; expires_at: string }> {
  const [row] = await db<{ id: number; expires_at: string }[]>`
    insert into enrollment_tokens (tenant_id, token_hash, created_by, expires_at)
    values (${tenantId}, ${hash}, ${userId}, now() + make_interval(secs => ${seconds}))
    returning id, expires_at
  `;
  if (!row) throw new Error('The enrolment token was not added.');
  return row;
}

/** Whether its maker is still an admin; the server's own tokens have none. */
const isBacked = (db: Db) => db`
  (
    created_by is null or exists (
      select from users
      where users.id = created_by and users.status = 'active' and users.role = 'admin'
        and (enrollment_tokens.tenant_id is not null or users.is_platform_admin)
    )
  )
`;

/** Why a token cannot be used. */
export async function findEnrollmentToken(db: Db, hash: Buffer) {
  const [row] = await db<{ used_at?: string; expires_at: string; is_backed: boolean }[]>`
    select used_at, expires_at, ${isBacked(db)} as is_backed
    from enrollment_tokens
    where token_hash = ${hash}
  `;
  return row;
}

export type UsedToken = {
  id: number;
  /** Absent for a worker that all tenants use. */
  tenant_id?: number;
  created_by?: number;
  /** In whose audit trail it stands: that of its maker, for a worker of all. */
  told_tenant_id?: number;
};

/**
 * Uses up a token. @returns the owner of the new worker; undefined if the token is unknown, used or
 * expired, or its maker is no admin any more: workers get files and secrets.
 */
export async function useEnrollmentToken(tx: Db, hash: Buffer): Promise<UsedToken | undefined> {
  const [row] = await tx<UsedToken[]>`
    update enrollment_tokens
    set used_at = now()
    where token_hash = ${hash} and used_at is null and expires_at > now() and ${isBacked(tx)}
    returning id, tenant_id, created_by,
      coalesce(tenant_id, (select users.tenant_id from users where users.id = created_by))
        as told_tenant_id
  `;
  return row;
}

export async function addWorker(
  tx: Db,
  tenantId: number | null,
  worker: {
    name: string;
    labels: string[];
    capacity: Resources;
    features: string[];
    version: string;
    enrollment_token_id: number | undefined;
  },
  tokenHash: Buffer,
): Promise<number> {
  const [row] = await tx<{ id: number }[]>`
    insert into workers
      (tenant_id, name, token_hash, labels, capacity, features, version, enrollment_token_id)
    values (${tenantId}, ${worker.name}, ${tokenHash}, ${tx.json(worker.labels)},
            ${tx.json(worker.capacity)}, ${tx.json(worker.features)}, ${worker.version},
            ${worker.enrollment_token_id ?? null})
    returning id
  `;
  if (!row) throw new Error('The worker was not added.');
  return row.id;
}

export async function findWorkerByToken(
  db: Db,
  hash: Buffer,
  leaseSeconds: number,
): Promise<({ id: number } & ProcessState) | undefined> {
  const [row] = await db<({ id: number } & ProcessState)[]>`
    select id, last_epoch, epoch, ${isGone(db, leaseSeconds)} as is_gone
    from workers
    where token_hash = ${hash} and deleted_at is null
  `;
  return row;
}

/**
 * Begins the next epoch. @returns it and the previous one; undefined if there is no such worker.
 */
export async function beginEpoch(
  tx: Db,
  id: number,
  { capacity, features, version }: Pick<ProcessStart, 'capacity' | 'features' | 'version'>,
): Promise<{ epoch: number; previous?: number } | undefined> {
  const [row] = await tx<{ epoch: number; previous?: number }[]>`
    with before as (
      select id, epoch from workers where id = ${id} and deleted_at is null for update
    )
    update workers
    set last_epoch = last_epoch + 1,
        epoch = last_epoch + 1,
        stopped_at = null,
        last_heartbeat_at = now(),
        in_use = '{}',
        capacity = coalesce(${capacity ? tx.json(capacity) : null}, capacity),
        features = coalesce(${features ? tx.json(features) : null}, features),
        version = coalesce(${version ?? null}, version)
    from before
    where workers.id = before.id
    returning workers.epoch, before.epoch as previous
  `;
  return row;
}

export function endEpoch(db: Db, id: number, epoch: number | undefined) {
  return db`
    update workers
    set stopped_at = now(), in_use = '{}'
    where id = ${id} and epoch is not distinct from ${epoch ?? null}
  `;
}

/** The workers a tenant may see: its own and the platform's. */
export async function listWorkerRows(
  db: Db,
  tenantId: number,
  leaseSeconds: number,
  { after, offset, limit, with_total }: Page,
) {
  const visible = db`(tenant_id = ${tenantId} or tenant_id is null) and deleted_at is null`;
  const ordered = db`
    select ${columns(db, leaseSeconds)}, ${workFor(db, tenantId)}
    from workers
    where ${visible} and id > ${after?.[0] ?? 0}
    order by id
  `;
  const rows = await db<ShownWorker[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<
    { total: number }[]
  >`select count(*) as total from workers where ${visible}`;
  return { rows, total: count?.total ?? 0 };
}

export async function findWorker(
  db: Db,
  tenantId: number,
  id: number,
  leaseSeconds: number,
): Promise<ShownWorker | undefined> {
  const [row] = await db<ShownWorker[]>`
    select ${columns(db, leaseSeconds)}, ${workFor(db, tenantId)}
    from workers
    where id = ${id} and deleted_at is null
  `;
  return row;
}

export function updateWorker(
  db: Db,
  id: number,
  { name, labels }: { name?: string; labels?: string[] },
) {
  return db`
    update workers
    set name = coalesce(${name ?? null}, name),
        labels = coalesce(${labels ? db.json(labels) : null}, labels)
    where id = ${id}
  `;
}

export function setDesiredState(db: Db, id: number, state: WorkerRow['desired_state']) {
  return db`update workers set desired_state = ${state} where id = ${id}`;
}

export function removeWorker(db: Db, id: number) {
  return db`update workers set deleted_at = now(), desired_state = 'disabled' where id = ${id}`;
}

/**
 * Tells watchers of the tenant how its worker is, with the commit; a removed one is `disabled`.
 * Nobody is told of workers of the platform, which all tenants share.
 */
export const tellOfWorker = (tx: Db, id: number, leaseSeconds: number) => tx`
  with told as (
    insert into run_events (tenant_id, details)
    select
      tenant_id,
      'worker ' || jsonb_build_object('id', id, 'name', name, 'status', status)::text
    from (select ${columns(tx, leaseSeconds)} from workers where id = ${id}) as worker
    where tenant_id is not null
    returning id
  )
  select tell(${eventsChannel}, '') from told
`;

/** How long an order may be in transit. */
const orderSeconds = 10;

/**
 * Records a heartbeat, unless the process was replaced since the call arrived: a replaced process
 * must not make the worker look alive.
 *
 * @returns what the worker is to do, and which orders it never received.
 */
export async function noteHeartbeat(
  db: Db,
  id: number,
  epoch: number | undefined,
  { in_use, capacity, attempts }: Pick<Heartbeat, 'in_use' | 'capacity' | 'attempts'>,
  leaseSeconds: number,
): Promise<{ desired_state: WorkerRow['desired_state']; lost: LostOrder[] } | undefined> {
  const named = attempts.map(({ attempt_id }) => attempt_id);
  const [row] = await db<{ desired_state: WorkerRow['desired_state']; lost: LostOrder[] }[]>`
    update workers
    set last_heartbeat_at = now(),
        stopped_at = null,
        epoch = ${epoch ?? null},
        in_use = coalesce(${in_use ? db.json(in_use) : null}, in_use),
        capacity = coalesce(${capacity ? db.json(capacity) : null}, capacity)
    where id = ${id}
      and (
        epoch is not distinct from ${epoch ?? null}
        or ${epoch ?? null}::bigint is null and (${isGone(db, leaseSeconds)})
      )
    returning desired_state, ${lostOrders(db, id, named, orderSeconds)} as lost
  `;
  return row;
}

/**
 * Appends a piece where the log ends; an earlier piece changes nothing, whatever its length.
 * Overlapping pieces would let a worker store far more than is ever shown or counted.
 */
export async function addLogPiece(
  db: Db,
  attempt: Pick<AttemptRow, 'tenant_id' | 'id' | 'run_id' | 'node_run_id' | 'number'>,
  offset: number,
  bytes: Buffer,
) {
  const { tenant_id, id, run_id, node_run_id, number } = attempt;
  const event = { node_run_id, attempt: number, size_bytes: offset + bytes.length };
  await db`
    with added as (
      insert into attempt_logs (tenant_id, attempt_id, start_offset, bytes)
      select ${tenant_id}::bigint, ${id}::bigint, ${offset}::bigint, ${bytes}::bytea
      where ${offset}::bigint >= coalesce((
        select start_offset + length(attempt_logs.bytes)
        from attempt_logs
        where tenant_id = ${tenant_id} and attempt_id = ${id}
        order by start_offset desc
        limit 1
      ), 0)
      on conflict do nothing
      returning attempt_id
    )
    insert into run_events (tenant_id, run_id, details)
    select ${tenant_id}::bigint, ${run_id}::bigint, ${`log ${JSON.stringify(event)}`}
    from added
  `;
}

/** How many bytes of the log have been received. */
export async function logLength(db: Db, tenantId: number, attemptId: number): Promise<number> {
  const [row] = await db<{ length: number }[]>`
    select start_offset + length(bytes) as length
    from attempt_logs
    where tenant_id = ${tenantId} and attempt_id = ${attemptId}
    order by start_offset desc
    limit 1
  `;
  return row?.length ?? 0;
}
