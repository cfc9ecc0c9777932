/**
 * SQL of caps on how many node runs of a tenant or a workflow are leased at the same time. The
 * fragments need `work` in scope, with the columns of a `WorkflowName`.
 */
import type { Db } from '../../db/connection.ts';

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

/** The open slots of the tenant, counted under a lock; see `open_slots` in the migration. */
export const tenantSlots = (db: Db) => db`open_slots(work.tenant_id, 0, ${tenantCap(db)})`;

export const workflowSlots = (db: Db) =>
  db`open_slots(work.tenant_id, work.workflow_id, ${workflowCap(db)})`;

/** The slots for what becomes ready as these attempts end and runs of these workflows start. */
export const findSlots = (
  tx: Db,
  attemptIds: readonly number[],
  started: readonly WorkflowName[],
) => tx<(WorkflowName & CountedSlots)[]>`
  select tenant_id, workflow_id, ${tenantSlots(tx)} as tenant_slots,
    ${workflowSlots(tx)} as workflow_slots
  from (
    select tenant_id, workflow_id from attempts where id = any(${attemptIds}::bigint[])
    union
    select * from unnest(
      ${started.map(({ tenant_id }) => tenant_id)}::bigint[],
      ${started.map(({ workflow_id }) => workflow_id)}::bigint[]
    )
  ) as work
`;
