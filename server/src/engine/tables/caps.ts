/**
 * SQL of caps on how many node runs of a tenant or a workflow are leased at the same time. The
 * fragments need `work` in scope, with the columns of a `WorkflowName`.
 */
import type { Db } from '../../db/connection.ts';
import type { CountedCredits } from './credits.ts';

export type WorkflowName = { tenant_id: number; workflow_id: number };

/** Open slots: absent without a cap, -1 while another transaction is leasing under it. */
export type CountedSlots = { tenant_slots?: number; workflow_slots?: number };

/** Null without a cap. */
export const tenantCap = (db: Db) => db`
  (select max_running_node_runs from tenants where tenants.id = work.tenant_id)
`;

export const workflowCap = (db: Db) => db`
  (
    select max_running from workflows
    where workflows.tenant_id = work.tenant_id and workflows.id = work.workflow_id
  )
`;

/** Puts `tenant` in scope, with its cap and its account of credits: one look-up of a row for both. */
export const withTenant = (db: Db) => db`
  left join lateral (
    select max_running_node_runs, credit_account_id
    from tenants
    where tenants.id = work.tenant_id
    offset 0
  ) as tenant on true
`;

/**
 * The open slots of the `tenant` in scope, counted under a lock; see `open_slots` in the migration.
 */
export const tenantSlots = (db: Db) =>
  db`open_slots(work.tenant_id, 0, tenant.max_running_node_runs)`;

export const workflowSlots = (db: Db) =>
  db`open_slots(work.tenant_id, work.workflow_id, ${workflowCap(db)})`;

/**
 * The slots and credits for what becomes ready as these attempts end and runs of these workflows start.
 */
export const findSlots = (
  tx: Db,
  attemptIds: readonly number[],
  started: readonly WorkflowName[],
) => tx<(WorkflowName & CountedSlots & CountedCredits)[]>`
  select tenant_id, workflow_id, run_account_id, ${tenantSlots(tx)} as tenant_slots,
    ${workflowSlots(tx)} as workflow_slots, credit_account_id as tenant_account_id,
    open_credits(credit_account_id) as tenant_credits, open_credits(run_account_id) as run_credits
  from (
    select tenant_id, workflow_id, run_account_id
    from attempts where id = any(${attemptIds}::bigint[])
    union
    select *, null::bigint from unnest(
      ${started.map(({ tenant_id }) => tenant_id)}::bigint[],
      ${started.map(({ workflow_id }) => workflow_id)}::bigint[]
    )
  ) as work
  ${withTenant(tx)}
`;
