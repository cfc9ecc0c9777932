/** SQL of log retention. */
import type { Db } from '../../db/connection.ts';

/**
 * Attempts whose run ended more than `days` ago and whose logs still exist. An attempt ends no
 * later than its run, so they are found by their own age, per tenant and oldest first.
 */
export async function findOldLogs(tx: Db, days: number, limit: number): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    with ended as (select now() - make_interval(days => ${days}) as before)
    select attempts.id
    from ended
    cross join tenants
    cross join lateral (
      select id, run_id
      from attempts
      where tenant_id = tenants.id and log_bytes > 0 and finished_at < ended.before
      order by finished_at
      offset 0
    ) as old
    join attempts on attempts.id = old.id
    where log_bytes > 0
      and (
        select finished_at < ended.before
        from workflow_runs
        where workflow_runs.tenant_id = attempts.tenant_id and workflow_runs.id = old.run_id
      )
    limit ${limit}
    for update of attempts skip locked
  `;
  return rows.map((row) => row.id);
}

/** Tenants with more than `bytes` of logs, and the excess. */
export function findHeavyTenants(db: Db, bytes: number) {
  return db<{ tenant_id: number; excess: number }[]>`
    select tenant_id, (sum(log_bytes) - ${bytes})::bigint as excess
    from attempts
    where log_bytes > 0
    group by tenant_id
    having sum(log_bytes) > ${bytes}
  `;
}

/**
 * Attempts of a tenant whose logs add up to `excess` bytes: of the earliest ended runs first, and
 * only after those of runs under way.
 */
export async function findFirstLogs(
  tx: Db,
  tenantId: number,
  excess: number,
  limit: number,
): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    with in_order as (
      select attempts.id,
        sum(log_bytes) over first_to_go - log_bytes as bytes_before,
        row_number() over first_to_go as place
      from attempts
      join workflow_runs on workflow_runs.tenant_id = attempts.tenant_id
        and workflow_runs.id = attempts.run_id
      where attempts.tenant_id = ${tenantId} and log_bytes > 0
      window first_to_go as (order by workflow_runs.finished_at nulls last, attempts.id)
    )
    select attempts.id
    from attempts
    join in_order on in_order.id = attempts.id
    where log_bytes > 0 and bytes_before < ${excess} and place <= ${limit}
    order by attempts.id
    for update of attempts skip locked
  `;
  return rows.map((row) => row.id);
}

/** Removes the logs of attempts, and records when. */
export async function removeLogs(tx: Db, attemptIds: number[]): Promise<void> {
  await tx`
    delete from attempt_logs
    using attempts
    where attempts.id = any(${attemptIds})
      and attempt_logs.tenant_id = attempts.tenant_id
      and attempt_logs.attempt_id = attempts.id
  `;
  await tx`
    update attempts
    set log_bytes = 0, logs_removed_at = now()
    where id = any(${attemptIds})
  `;
}
