/** Slots under caps in a round: how many are open, and whether some became free. Pure. */
import type { Slots } from '../queue/choose.ts';
import type { CountedSlots, WorkflowName } from '../tables/caps.ts';

/**
 * The open slots, including those of attempts that end in this round. A cap that another transaction
 * is leasing under has none.
 *
 * @returns `is_held`: whether there is such a cap.
 */
export function slotsOf(
  counted: readonly (WorkflowName & CountedSlots)[],
  ended: readonly WorkflowName[],
): { slots: Omit<Slots, 'credits'>; is_held: boolean } {
  const tenants = new Map<number, number>();
  const workflows = new Map<number, number>();
  for (const { tenant_id, workflow_id, tenant_slots, workflow_slots } of counted) {
    know(tenants, tenant_id, tenant_slots);
    know(workflows, workflow_id, workflow_slots);
  }
  const is_held = [...tenants.values(), ...workflows.values()].includes(-1);
  for (const { tenant_id, workflow_id } of ended) {
    free(tenants, tenant_id);
    free(workflows, workflow_id);
  }
  for (const slots of [tenants, workflows])
    for (const [id, open] of slots) slots.set(id, Math.max(0, open));
  return { slots: { tenants, workflows }, is_held };
}

/** A cap counted twice was counted under its lock at least by the one that found more. */
function know(slots: Map<number, number>, id: number, open: number | undefined) {
  if (open !== undefined) slots.set(id, Math.max(open, slots.get(id) ?? -1));
}

function free(slots: Map<number, number>, id: number) {
  const open = slots.get(id);
  if (open !== undefined && open >= 0) slots.set(id, open + 1);
}

/**
 * Whether more attempts of a capped workflow ended than were leased. Other work may have waited for
 * these slots, also of other workflows if the cap is the tenant's.
 */
export function hasFreed(
  ended: readonly WorkflowName[],
  leased: readonly Pick<WorkflowName, 'workflow_id'>[],
): boolean {
  const freed = new Map<number, number>();
  for (const { workflow_id } of ended) freed.set(workflow_id, (freed.get(workflow_id) ?? 0) + 1);
  for (const { workflow_id } of leased) freed.set(workflow_id, (freed.get(workflow_id) ?? 0) - 1);
  return [...freed.values()].some((count) => count > 0);
}
