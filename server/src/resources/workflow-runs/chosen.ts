/** Checks of a restart that names what is to run again. */
import { referencesOf } from '@cogworks/graph/expression';
import { parseExpression } from '@cogworks/graph/expression-syntax';
import { referencesIn } from '@cogworks/graph/template';
import type { Db } from '../../db/connection.ts';
import { readCounters } from '../../engine/kernel/counters.ts';
import type { Plan, PlannedNode } from '../../engine/kernel/plan.ts';
import type { Counters, RunState } from '../../engine/kernel/state.ts';
import { againOf, unreachableChoice } from '../../engine/kernel/take-over.ts';
import type { ChosenNodeRun } from '../../engine/records.ts';
import { findStoredRuns } from '../../engine/tables/runs.ts';
import { type FieldFault, unprocessableFor } from '../../errors.ts';

export async function countersOfRun(tx: Db, runId: number): Promise<Counters[]> {
  const [stored] = await findStoredRuns(tx, [runId]);
  return readCounters(stored?.node_counts ?? []);
}

/** @throws DomainError 422 for all that the earlier run does not have. */
export function requireChoices(
  plan: Plan,
  counts: readonly Counters[],
  only: readonly ChosenNodeRun[],
): void {
  const faults = only.flatMap(({ node_key, shard_index }, at): FieldFault[] => {
    const loc = ['body', 'only', at];
    const node = plan.byKey.get(node_key);
    if (!node) {
      const msg = 'This run has no node with that key.';
      return [{ loc: [...loc, 'node_key'], msg, type: 'unknown_node' }];
    }
    const lanes = node.domain === null ? 0 : (counts[node.position]?.expected ?? 0);
    if (shard_index === undefined || shard_index < lanes) return [];
    const msg =
      node.domain === null
        ? `${node_key} runs once: leave the index out.`
        : `${node_key} ran for ${lanes} ${lanes === 1 ? 'file' : 'files'}, counted from 0.`;
    return [{ loc: [...loc, 'shard_index'], msg, type: 'out_of_range' }];
  });
  if (faults.length > 0) throw unprocessableFor(faults);
}

/**
 * A changed variable may only be used by what runs again: else the run would say of results that they
 * were made with a value that they were not made with.
 *
 * @throws DomainError 422 for all variables that others use too.
 */
export function requireAllAgain(
  plan: Plan,
  changed: ReadonlySet<string>,
  only: readonly ChosenNodeRun[],
): void {
  if (changed.size === 0) return;
  const again = againOf(plan, only);
  const others = plan.nodes.filter(({ position }) => again[position] !== 'all');
  // The graph is read once, not once for each of 500 variables.
  const users = new Map<string, string>();
  for (const node of others)
    for (const name of [...variablesUsedBy(node), ...variablesAskedBy(node)])
      if (!users.has(name)) users.set(name, node.key);
  const faults = [...changed].flatMap((name): FieldFault[] => {
    const other = users.get(name);
    if (other === undefined) return [];
    const msg = `${other} uses ${name} too, and not all of it is to run again.`;
    return [{ loc: ['body', 'extra_variables', name], msg, type: 'not_run_again' }];
  });
  if (faults.length > 0) throw unprocessableFor(faults);
}

/** @throws DomainError 422 if something chosen cannot run after what was taken over. */
export function requireReachable(state: RunState): void {
  const at = unreachableChoice(state);
  if (at === undefined) return;
  const { node_key } = (state.run.restart_only ?? [])[at] as ChosenNodeRun;
  const msg = `${node_key} cannot run, because a node that leads to it failed. Choose that one.`;
  throw unprocessableFor([{ loc: ['body', 'only', at], msg, type: 'upstream_failed' }]);
}

/** Nodes whose params or command refer to one of the variables. */
export const nodesThatUse = ({ nodes }: Plan, variables: ReadonlySet<string>): PlannedNode[] =>
  nodes.filter((node) => variablesUsedBy(node).some((name) => variables.has(name)));

/** The variables that params and command refer to. */
const variablesUsedBy = ({ node, definition }: PlannedNode): string[] =>
  [...definition.command, JSON.stringify(node.params ?? {})]
    .flatMap(referencesIn)
    .flatMap(({ kind, name }) => (kind === 'vars' ? name : []));

/** The variables that the condition refers to. */
function variablesAskedBy({ node: { when } }: PlannedNode): string[] {
  const parsed = when === undefined ? undefined : parseExpression(when);
  const used = parsed && 'ast' in parsed ? referencesOf(parsed.ast) : [];
  return used.flatMap(({ root, name }) => (root === 'vars' ? name : []));
}
