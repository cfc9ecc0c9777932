/** From a run's row to its plan. */
import type { Db } from '../db/connection.ts';
import { definitionsOf } from '../resources/node_definitions/node_definitions.ts';
import { type Plan, planRun } from './plan.ts';
import type { RunRow } from './records.ts';

export async function planOf(db: Db, run: RunRow): Promise<Plan> {
  const ids = run.graph.nodes.map((node) => node.node_definition_id);
  return planRun(run.graph, await definitionsOf(db, run.tenant_id, ids), run.extra_variables);
}
