/** SQL of attempts: claiming under a lease, renewing it, ending it. */
import type { Resources } from '@cogworks/graph/resources';
import type { AttemptOutcome, NodeRunOutcome } from '@cogworks/graph/statuses';
import type { Db } from '../db/connection.ts';
import type { Failure } from './policy.ts';
import type { AttemptRow } from './records.ts';

/** Lease time, by the database's clock alone: a worker's clock is never compared. */
export const leaseSeconds = 60;

export type ReadyRow = Resources & { node_run_id: number; tenant_id: number; run_id: number };

/** What a worker has left: its capacity less what its live attempts have reserved. */
export async function findRoom(db: Db, workerId: number): Promise<Resources> {
  // Fractions of a cpu do not add up exactly.
  const [row] = await db<Resources[]>`
    select
      round((capacity->>'cpu')::numeric - coalesce(sum(cpu), 0)::numeric, 3)::float8 as cpu,
      (capacity->>'memory_mb')::bigint - coalesce(sum(memory_mb), 0) as memory_mb,
      (capacity->>'gpu')::bigint - coalesce(sum(gpu), 0) as gpu,
      (capacity->>'disk_mb')::bigint - coalesce(sum(disk_mb), 0) as disk_mb
    from workers
    left join attempts
      on attempts.worker_id = workers.id and attempts.status in ('leased', 'running')
    where workers.id = ${workerId}
    group by workers.id
  `;
  return row ?? { cpu: 0, memory_mb: 0, gpu: 0, disk_mb: 0 };
}

/** What could start on a worker with that much room, but of the runs `without`, in order. */
export function findStartable(
  db: Db,
  worker: { tenant_id: number | undefined; features: readonly string[] },
  free: Resources,
  { without, limit }: { without: number[]; limit: number },
) {
  return db<ReadyRow[]>`
    select node_run_id, tenant_id, run_id, cpu, memory_mb, gpu, disk_mb
    from ready_queue
    where not_before <= now()
      and (${worker.tenant_id ?? null}::bigint is null or tenant_id = ${worker.tenant_id ?? null})
      and cpu <= ${free.cpu} and memory_mb <= ${free.memory_mb}
      and gpu <= ${free.gpu} and disk_mb <= ${free.disk_mb}
      and (${worker.features.includes('egress')} or not egress)
      and run_id <> all(${without}::bigint[])
    order by band, run_id, node_run_id
    limit ${limit}
  `;
}

/**
 * Takes ready node runs for one worker. Whoever claims has locked their runs; `skip locked` lets
 * many workers claim side by side without waiting for one another's rows.
 */
export function claimNodeRuns(tx: Db, workerId: number, nodeRunIds: number[]) {
  return tx<(AttemptRow & { node_key: string; shard_index?: number })[]>`
    with taken as (
      select *
      from ready_queue
      where node_run_id = any(${nodeRunIds})
      order by node_run_id
      for update skip locked
    ),
    gone as (
      delete from ready_queue
      using taken
      where ready_queue.node_run_id = taken.node_run_id
    ),
    begun as (
      update node_runs
      set status = 'running', worker_id = ${workerId}, attempt = attempt + 1, fraction = 0,
          started_at = coalesce(started_at, now())
      from taken
      where node_runs.id = taken.node_run_id and node_runs.status = 'queued'
      returning node_runs.id, node_key, shard_index
    ),
    leased as (
      insert into attempts
        (tenant_id, run_id, node_run_id, worker_id, lease_expires_at, cpu, memory_mb, gpu, disk_mb)
      select tenant_id, run_id, node_run_id, ${workerId},
             now() + make_interval(secs => ${leaseSeconds}), cpu, memory_mb, gpu, disk_mb
      from taken
      join begun on begun.id = taken.node_run_id
      returning *
    )
    select leased.*, node_key, shard_index
    from leased
    join begun on begun.id = leased.node_run_id
    order by leased.node_run_id
  `;
}

/**
 * Makes the claims of one worker follow one another. Taken after the locks of runs, never before.
 *
 * @returns false when another process of the worker has started since.
 */
export async function lockWorker(
  tx: Db,
  { id, epoch }: { id: number; epoch: number | undefined },
): Promise<boolean> {
  const locked = await tx`
    select id from workers
    where id = ${id} and epoch is not distinct from ${epoch ?? null}
    for no key update
  `;
  return locked.length > 0;
}

/** Locks a run without reading it. */
export function lockRunRow(tx: Db, runId: number) {
  return tx`select id from workflow_runs where id = ${runId} for update`;
}

/** Locks those of the runs that nobody has locked. @returns them. */
export async function lockFreeRuns(tx: Db, runIds: number[]): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    select id from workflow_runs where id = any(${runIds}) for update skip locked
  `;
  return rows.map((row) => row.id);
}

/** The first attempt of a run makes it `running`; the counters of its nodes follow. */
export async function countStarted(tx: Db, claimed: { run_id: number; node_key: string }[]) {
  await tx`
    update workflow_runs
    set status = 'running', started_at = coalesce(started_at, now())
    where id = any(${claimed.map((row) => row.run_id)}) and status = 'queued'
  `;
  await tx`
    update run_nodes
    set running = running + started.count
    from (
      select run_id, node_key, count(*)::int as count
      from unnest(${claimed.map((row) => row.run_id)}::bigint[], ${claimed.map((row) => row.node_key)}::text[])
        as claimed (run_id, node_key)
      group by run_id, node_key
    ) as started
    where run_nodes.run_id = started.run_id and run_nodes.node_key = started.node_key
  `;
}

/** Renews the leases a worker still holds. @returns those; the rest of its list is not its own any more. */
export function renewLeases(
  db: Db,
  workerId: number,
  attempts: { attempt_id: number; lease_token: string; fraction?: number | undefined }[],
) {
  return db<{ id: number; cancel_requested_at?: string }[]>`
    with held as (
      select *
      from unnest(
        ${attempts.map((attempt) => attempt.attempt_id)}::bigint[],
        ${attempts.map((attempt) => attempt.lease_token)}::uuid[],
        ${attempts.map((attempt) => attempt.fraction ?? null)}::real[]
      ) as held (id, lease_token, fraction)
    ),
    -- In one order: a cancel that locks the same attempts must not wait in a circle with this.
    locked as (
      select attempts.id, held.fraction
      from attempts
      join held on held.id = attempts.id and held.lease_token = attempts.lease_token
      where attempts.worker_id = ${workerId} and attempts.status in ('leased', 'running')
      order by attempts.id
      for update of attempts
    ),
    renewed as (
      update attempts
      set lease_expires_at = now() + make_interval(secs => ${leaseSeconds}), lease_extended = false
      from locked
      where attempts.id = locked.id
      returning attempts.id, attempts.node_run_id, attempts.cancel_requested_at, locked.fraction
    ),
    told as (
      update node_runs
      set fraction = renewed.fraction
      from renewed
      where node_runs.id = renewed.node_run_id and renewed.fraction is not null
    )
    select id, cancel_requested_at from renewed
  `;
}

/** Ends the leases of a worker within `seconds`, where they do not end before. */
export function shortenLeases(db: Db, workerId: number, seconds: number) {
  return db`
    with held as (
      select id
      from attempts
      where worker_id = ${workerId} and status in ('leased', 'running')
      order by id
      for update
    )
    update attempts
    set lease_expires_at = least(lease_expires_at, now() + make_interval(secs => ${seconds}))
    from held
    where attempts.id = held.id
  `;
}

/** Any attempt of the worker, whatever its state: whether it is still its own, the caller asks. */
export async function findAttempt(
  db: Db,
  workerId: number,
  id: number,
): Promise<AttemptRow | undefined> {
  const [row] = await db<AttemptRow[]>`
    select * from attempts where id = ${id} and worker_id = ${workerId}
  `;
  return row;
}

export async function markContainerStarted(db: Db, attempt: AttemptRow) {
  await db`
    update attempts
    set status = 'running', started_at = coalesce(started_at, now())
    where id = ${attempt.id} and lease_token = ${attempt.lease_token} and status in ('leased', 'running')
  `;
}

export async function endAttempt(
  tx: Db,
  attempt: AttemptRow,
  status: AttemptOutcome,
  failure: Partial<Failure> & { error_message?: string },
): Promise<void> {
  await tx`
    update attempts
    set status = ${status}, finished_at = now(), exit_code = ${failure.exit_code ?? null},
        error_class = ${failure.error_class ?? null}, error_message = ${failure.error_message ?? null},
        log_bytes = coalesce((
          select start_offset + octet_length(bytes)
          from attempt_logs
          where tenant_id = ${attempt.tenant_id} and attempt_id = ${attempt.id}
          order by start_offset desc
          limit 1
        ), 0)
    where id = ${attempt.id}
  `;
}

export async function endNodeRun(
  tx: Db,
  nodeRunId: number,
  status: NodeRunOutcome,
  failure: {
    exit_code?: number;
    error_class?: string;
    error_message?: string;
    skip_reason?: string;
  } = {},
): Promise<void> {
  await tx`
    update node_runs
    set status = ${status}, finished_at = now(), fraction = 1,
        exit_code = ${failure.exit_code ?? null}, error_class = ${failure.error_class ?? null},
        error_message = ${failure.error_message ?? null}, skip_reason = ${failure.skip_reason ?? null}
    where id = ${nodeRunId}
  `;
}

/** Back to the queue after a failed attempt, not before `delay_ms` have passed. */
export async function requeue(
  tx: Db,
  attempt: AttemptRow,
  band: number,
  { delay_ms, memory_mb, system }: { delay_ms: number; memory_mb: number; system: boolean },
): Promise<void> {
  await tx`
    update node_runs
    set status = 'queued', worker_id = null, queued_at = now(), fraction = 0,
        memory_mb = ${memory_mb}, system_faults = system_faults + ${system ? 1 : 0}
    where id = ${attempt.node_run_id}
  `;
  await tx`
    insert into ready_queue
      (node_run_id, tenant_id, run_id, band, not_before, cpu, memory_mb, gpu, disk_mb, egress)
    select node_runs.id, node_runs.tenant_id, node_runs.run_id, ${band}::smallint,
           now() + make_interval(secs => ${delay_ms / 1000}),
           ${attempt.cpu}::real, ${memory_mb}::int, ${attempt.gpu}::int, ${attempt.disk_mb}::int,
           network = 'egress'
    from node_runs
    join run_nodes using (tenant_id, run_id, node_key)
    join node_definitions on node_definitions.id = run_nodes.node_definition_id
    where node_runs.id = ${attempt.node_run_id}
  `;
}

/** What happened to a node run's attempts that was no fault of the program. */
export async function findTroubles(
  tx: Db,
  nodeRunId: number,
): Promise<{ workers_lost: number; evictions: number }> {
  const [row] = await tx<{ workers_lost: number; evictions: number }[]>`
    select
      count(distinct worker_id) filter (where status = 'lost') as workers_lost,
      count(*) filter (where error_class = 'evicted') as evictions
    from attempts
    where node_run_id = ${nodeRunId}
  `;
  return row ?? { workers_lost: 0, evictions: 0 };
}

/**
 * The container's time as the server saw it, in seconds; none when no container ran. Never
 * negative, though the clock may have been set back.
 */
export async function containerSeconds(tx: Db, attemptId: number): Promise<number | undefined> {
  const [row] = await tx<{ seconds?: number }[]>`
    select greatest(0, extract(epoch from coalesce(finished_at, now()) - started_at))::float8 as seconds
    from attempts
    where id = ${attemptId} and started_at is not null
  `;
  return row?.seconds;
}

export async function addUsage(
  tx: Db,
  attempt: AttemptRow,
  seconds: number,
  millicredits: number,
): Promise<void> {
  await tx`
    insert into usage_events
      (attempt_id, tenant_id, run_id, node_run_id, seconds, cpu, memory_mb, gpu, millicredits)
    values
      (${attempt.id}, ${attempt.tenant_id}, ${attempt.run_id}, ${attempt.node_run_id}, ${seconds},
       ${attempt.cpu}, ${attempt.memory_mb}, ${attempt.gpu}, ${millicredits})
  `;
}

export function addUploads(db: Db, tenantId: number, attemptId: number, objectIds: number[]) {
  return db`
    insert into attempt_uploads (tenant_id, attempt_id, object_id)
    select ${tenantId}, ${attemptId}, * from unnest(${objectIds}::bigint[])
  `;
}

export type UploadRow = {
  object_id: number;
  state: string;
  size_bytes?: number;
  checksum_sha256?: string;
};

/** What the attempt has uploaded, or was about to. */
export function findUploads(db: Db, tenantId: number, attemptId: number) {
  return db<UploadRow[]>`
    select object_id, state, size_bytes, checksum_sha256
    from attempt_uploads
    join objects on objects.tenant_id = attempt_uploads.tenant_id and objects.id = attempt_uploads.object_id
    where attempt_uploads.tenant_id = ${tenantId} and attempt_id = ${attemptId}
  `;
}

/** Live attempts of one worker. */
export function findHeld(db: Db, workerId: number) {
  return db<AttemptRow[]>`
    select * from attempts where worker_id = ${workerId} and status in ('leased', 'running') order by id
  `;
}
