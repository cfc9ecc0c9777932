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
  const again = againOf(plan, only);
  const faults = [...changed].flatMap((name): FieldFault[] => {
    const users = [...nodesThatUse(plan, new Set([name])), ...nodesThatAsk(plan, name)];
    const other = users.find(({ position }) => again[position] !== 'all');
    if (!other) return [];
    const msg = `${other.key} uses ${name} too, and not all of it is to run again.`;
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
export function nodesThatUse({ nodes }: Plan, variables: ReadonlySet<string>): PlannedNode[] {
  return nodes.filter(({ node, definition }) => {
    const texts = [...definition.command, JSON.stringify(node.params ?? {})];
    const used = texts.flatMap(referencesIn);
    return used.some(({ kind, name }) => kind === 'vars' && variables.has(name));
  });
}

/** Nodes whose condition refers to the variable. */
function nodesThatAsk({ nodes }: Plan, variable: string): PlannedNode[] {
  return nodes.filter(({ node: { when } }) => {
    const parsed = when === undefined ? undefined : parseExpression(when);
    const used = parsed && 'ast' in parsed ? referencesOf(parsed.ast) : [];
    return used.some(({ root, name }) => root === 'vars' && name === variable);
  });
}
