/** SQL of attempts: beginning under a lease, renewal, end. */
import type { Db } from '../../db/connection.ts';
import type { Upload } from '../attempts/outputs.ts';
import type { EndedAttempt, NewAttempt } from '../kernel/changes.ts';
import type { AttemptRow } from '../records.ts';
import { tenantCap, workflowCap } from './caps.ts';
import { isShort } from './credits.ts';

/** Lease time, measured only by the database's clock: workers' clocks are never compared. */
export const leaseSeconds = 60;

/**
 * Attempts of any status, with the history of their node runs. `is_capped`: whether their workflow
 * or tenant has a cap.
 */
export const findAttempts = (tx: Db, ids: readonly number[]) =>
  tx<(AttemptRow & { lost_workers?: number[]; evictions?: number; is_capped: boolean })[]>`
    select work.*, past.*, coalesce(${tenantCap(tx)}, ${workflowCap(tx)}) is not null as is_capped
    from attempts as work
    left join lateral (
      select
        array_agg(past.worker_id) filter (where past.status = 'lost') as lost_workers,
        count(*) filter (where past.error_class = 'evicted') as evictions
      from attempts as past
      where past.node_run_id = work.node_run_id and past.number < work.number
    ) as past on work.number > 1
    where work.id = any(${ids}::bigint[])
  `;

/** Finished and unfinished uploads of these attempts; locked, so that none expires meanwhile. */
export const findUploads = (tx: Db, attemptIds: readonly number[]) =>
  tx<(Upload & { attempt_id: number })[]>`
    select attempt_id, object_id, state, size_bytes, checksum_sha256
    from attempts
    join attempt_uploads as upload
      on upload.tenant_id = attempts.tenant_id and upload.attempt_id = attempts.id
    join objects on objects.tenant_id = upload.tenant_id and objects.id = upload.object_id
    where attempts.id = any(${attemptIds}::bigint[])
    order by objects.id
    for no key update of objects
  `;

/** An attempt of the worker, of any status: the caller checks whether the lease is still held. */
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

/** Live attempts of one worker. */
export const findHeld = (db: Db, workerId: number) =>
  db<AttemptRow[]>`
    select * from attempts where worker_id = ${workerId} and status in ('leased', 'running') order by id
  `;

type RunName = { tenant_id: number; workflow_id: number; id: number };

/** The sum of the fractions that each node's running node runs reported. */
export const findFractions = (tx: Db, { tenant_id, workflow_id, id }: RunName) =>
  tx<{ position: number; reported: number }[]>`
    select position, sum(fraction)::float8 as reported
    from attempts
    where tenant_id = ${tenant_id} and workflow_id = ${workflow_id} and run_id = ${id}
      and status in ('leased', 'running')
    group by position
  `;

/** SQL fragment with `run` in scope: the same sums as a JSON object, by position of the node. */
export const reportedOfRun = (db: Db) => db`
  coalesce((
    select jsonb_object_agg(position, reported)
    from (
      select position, sum(fraction)::float8 as reported
      from attempts
      where tenant_id = run.tenant_id and workflow_id = run.workflow_id and run_id = run.id
        and status in ('leased', 'running')
      group by position
    ) as live
  ), '{}')
`;

export function addAttempts(
  tx: Db,
  attempts: readonly (NewAttempt & { tenant_id: number; workflow_id: number; run_id: number })[],
) {
  const column = <Name extends keyof (typeof attempts)[number]>(name: Name) =>
    attempts.map((attempt) => attempt[name]);
  return tx`
    insert into attempts
      (id, tenant_id, workflow_id, run_id, node_run_id, number, position, worker_id, lease_token,
       cpu, memory_mb, gpu, disk_mb, lease_expires_at)
    select *, now() + make_interval(secs => ${leaseSeconds})
    from unnest(
      ${column('id')}::bigint[], ${column('tenant_id')}::bigint[],
      ${column('workflow_id')}::bigint[], ${column('run_id')}::bigint[],
      ${column('node_run_id')}::bigint[], ${column('number')}::int[], ${column('position')}::int[],
      ${column('worker_id')}::bigint[], ${column('lease_token')}::uuid[], ${column('cpu')}::real[],
      ${column('memory_mb')}::int[], ${column('gpu')}::int[], ${column('disk_mb')}::int[]
    )
  `;
}

/**
 * Ends live attempts, and adds a usage event for each that ran a container: its time by the
 * server's clock, never negative even if the clock was set back.
 */
export function endAttempts(tx: Db, ended: readonly EndedAttempt[]) {
  const column = <Name extends keyof EndedAttempt>(name: Name) =>
    ended.map((attempt) => (attempt[name] ?? null) as string | null);
  return tx`
    -- In a fixed order, to avoid a deadlock with a heartbeat that locks the same attempts.
    with locked as (
      select id from attempts where id = any(${column('id')}::bigint[]) order by id for update
    ),
    ended as (
      update attempts
      set status = report.status, finished_at = now(), exit_code = report.exit_code,
          error_class = report.error_class, error_message = report.error_message,
          log_bytes = coalesce((
            select start_offset + octet_length(bytes)
            from attempt_logs
            where tenant_id = attempts.tenant_id and attempt_id = attempts.id
            order by start_offset desc
            limit 1
          ), 0)
      from unnest(
        ${column('id')}::bigint[], ${column('status')}::text[], ${column('exit_code')}::int[],
        ${column('error_class')}::text[], ${column('error_message')}::text[],
        ${column('microcredits_per_minute')}::bigint[]
      ) as report (id, status, exit_code, error_class, error_message, rate)
      where attempts.id = report.id and attempts.status in ('leased', 'running')
        -- Forces all locks to be taken before anything is changed.
        and (select count(*) from locked) > 0
      returning attempts.*, report.rate
    )
    insert into usage_events
      (attempt_id, tenant_id, run_id, node_run_id, seconds, cpu, memory_mb, gpu, millicredits)
    select id, tenant_id, run_id, node_run_id, seconds, cpu, memory_mb, gpu,
           -- In thousandths of a credit, rounded up once; without fractions, which do not add up.
           -- Never more than is held; without a limit nothing is.
           least(ceil(ms::numeric * rate / 60000000), credits_held)
    from ended
    cross join lateral (
      select milliseconds_between(started_at, finished_at) as ms
    ) as exact
    cross join lateral (select ms / 1000.0 as seconds) as measured
    where started_at is not null
  `;
}

/** Asks workers to stop the runs' attempts; they learn of it at their next heartbeat. */
export const requestStop = (tx: Db, runs: readonly RunName[]) =>
  tx`
    with live as (
      select attempts.id
      from unnest(
        ${runs.map(({ tenant_id }) => tenant_id)}::bigint[],
        ${runs.map(({ workflow_id }) => workflow_id)}::bigint[],
        ${runs.map(({ id }) => id)}::bigint[]
      ) as run (tenant_id, workflow_id, id)
      join attempts on attempts.tenant_id = run.tenant_id
        and attempts.workflow_id = run.workflow_id and attempts.run_id = run.id
      where attempts.status in ('leased', 'running')
      order by attempts.id
      for update of attempts
    )
    update attempts
    set cancel_requested_at = coalesce(cancel_requested_at, now())
    from live
    where attempts.id = live.id
  `;

/**
 * Renews the leases a worker still holds. @returns those; it no longer holds the others on its
 * list. `is_short`: more credits must be held for it.
 */
export const renewLeases = (
  db: Db,
  workerId: number,
  attempts: readonly {
    attempt_id: number;
    lease_token: string;
    fraction?: number | undefined;
  }[],
) => db<{ id: number; cancel_requested_at?: string; has_moved: boolean; is_short: boolean }[]>`
  with held as (
    select *
    from unnest(
      ${attempts.map((attempt) => attempt.attempt_id)}::bigint[],
      ${attempts.map((attempt) => attempt.lease_token)}::uuid[],
      ${attempts.map((attempt) => attempt.fraction ?? null)}::real[]
    ) as held (id, lease_token, fraction)
  ),
  -- In a fixed order, to avoid a deadlock with a cancel that locks the same attempts.
  locked as (
    select attempts.id, held.fraction, coalesce(held.fraction > attempts.fraction, false) as has_moved
    from attempts
    join held on held.id = attempts.id and held.lease_token = attempts.lease_token
    where attempts.worker_id = ${workerId} and attempts.status in ('leased', 'running')
    order by attempts.id
    for update of attempts
  ),
  renewed as (
    update attempts
    set lease_expires_at = now() + make_interval(secs => ${leaseSeconds}), lease_extended = false,
        -- Reported progress must not fall, whatever the container reports next.
        fraction = greatest(attempts.fraction, locked.fraction)
    from locked
    where attempts.id = locked.id
    returning attempts.id, tenant_id, run_id, cancel_requested_at, has_moved,
      ${isShort(db)} as is_short
  ),
  -- An empty event: only the progress of the run has changed.
  told as (
    insert into run_events (tenant_id, run_id)
    select distinct tenant_id, run_id from renewed where has_moved
  )
  select id, cancel_requested_at, has_moved, is_short from renewed
`;

export type LostOrder = { id: number; lease_token: string };

/**
 * SQL fragment: live attempts the worker does not list, although they were leased more than
 * `seconds` ago, because their orders were lost with an answer. An array of LostOrder as JSON.
 */
export const lostOrders = (
  db: Db,
  workerId: number,
  named: readonly number[],
  seconds: number,
) => db`
  (
    select coalesce(jsonb_agg(jsonb_build_object('id', id, 'lease_token', lease_token)), '[]')
    from attempts
    where worker_id = ${workerId} and status in ('leased', 'running')
      and leased_at < now() - make_interval(secs => ${seconds})
      and id <> all(${named}::bigint[])
  )
`;

/** Shortens a worker's leases to `seconds` at most. */
export const shortenLeases = (db: Db, workerId: number, seconds: number) =>
  db`
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

export const markContainerStarted = (db: Db, { id, lease_token }: AttemptRow) =>
  db`
    update attempts
    set status = 'running', started_at = coalesce(started_at, now())
    where id = ${id} and lease_token = ${lease_token} and status in ('leased', 'running')
  `;

export const addUploads = (
  db: Db,
  tenantId: number,
  attemptId: number,
  objectIds: readonly number[],
) => db`
  insert into attempt_uploads (tenant_id, attempt_id, object_id)
  select ${tenantId}, ${attemptId}, * from unnest(${objectIds}::bigint[])
`;
