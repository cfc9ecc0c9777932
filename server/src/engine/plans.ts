/** The cache of plans, by graph: computed once per process, evicted by last use. */
import type { Db } from '../db/connection.ts';
import { definitionsOf } from '../resources/node_definitions/node_definitions.ts';
import { type Plan, planGraph } from './kernel/plan.ts';
import { findGraphs } from './tables/runs.ts';

/** Size of graphs and definitions as JSON; a plan takes a few times as much memory. */
const mostBytes = 16 * 1024 * 1024;

export type GraphName = { tenant_id: number; graph_hash: Uint8Array };

export class Plans {
  /** Ordered by last use. */
  readonly #kept = new Map<string, Plan>();
  #bytes = 0;

  /** The cached plan of a tenant's graph, if there is one. */
  find(graph: GraphName): Plan | undefined {
    const key = keyOf(graph);
    const found = this.#kept.get(key);
    if (!found) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found;
  }

  /** Caches the plan of a stored graph. */
  keep(graph: GraphName, plan: Plan): void {
    const key = keyOf(graph);
    if (this.#kept.has(key)) return;
    this.#kept.set(key, plan);
    this.#bytes += plan.bytes;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= mostBytes || oldest === key) break;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
  }

  /** The plan of a run's graph. */
  async planOf(db: Db, run: GraphName): Promise<Plan> {
    const plan = (await this.of(db, [run])).get(keyOf(run));
    if (!plan) throw new Error('The graph of the run is gone, or was damaged.');
    return plan;
  }

  /**
   * The plans of these graphs, read if not cached.
   *
   * @returns by `keyOf`; a graph that cannot be planned is left out, and does not affect the
   * others.
   */
  async of(db: Db, graphs: readonly GraphName[]): Promise<Map<string, Plan>> {
    const plans = new Map<string, Plan>();
    const missing = new Map<string, GraphName>();
    for (const graph of graphs) {
      const plan = this.find(graph);
      if (plan) plans.set(keyOf(graph), plan);
      else missing.set(keyOf(graph), graph);
    }
    if (missing.size === 0) return plans;
    for (const stored of await findGraphs(db, [...missing.values()])) {
      const { tenant_id, graph, definition_ids } = stored;
      const definitions = await definitionsOf(db, tenant_id, definition_ids);
      const name = { tenant_id, graph_hash: stored.hash };
      const plan = planned(graph, definitions);
      if (!plan) continue;
      this.keep(name, plan);
      plans.set(keyOf(name), plan);
    }
    return plans;
  }
}

/** Undefined if a definition is missing, as in a damaged database. */
function planned(...[graph, definitions]: Parameters<typeof planGraph>): Plan | undefined {
  const isWhole = graph.nodes.every((node) => definitions.has(node.node_definition_id));
  return isWhole ? planGraph(graph, definitions) : undefined;
}

export const keyOf = ({ tenant_id, graph_hash }: GraphName): string =>
  `${tenant_id}|${Buffer.from(graph_hash).toString('base64')}`;
