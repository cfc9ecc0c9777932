/**
 * Restarting: a new run over the files the old one had, which takes over what succeeded there.
 * The old run keeps its state for ever.
 */
import { parseExpression, referencesOf } from '@cogworks/graph/expression';
import { referencesIn } from '@cogworks/graph/template';
import type { GraphNode } from '@cogworks/graph/types';
import type { Db } from '../../db/connection.ts';
import { isTerminal } from '../../engine/cancel.ts';
import { findInputFiles, lockRun, markSuperseded } from '../../engine/runs.ts';
import { conflict, DomainError, forbidden } from '../../errors.ts';
import type { Caller } from '../../services.ts';
import { definitionsAsJson, definitionsOf } from '../node_definitions/node_definitions.ts';
import { reach } from '../permissions/access.ts';
import { allows } from '../permissions/rules.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import { requireStarter } from './runs.ts';
import type { RestartRun } from './schema.ts';
import { acceptRun } from './start.ts';

/**
 * @throws DomainError 409 `run_not_finished`, 403 where rights have gone, 404
 * where an input was deleted, 422 for variables, and whatever starting throws.
 */
export function restartRun(
  db: Db,
  threads: GraphThreads,
  caller: Caller,
  runId: number,
  { mode, extra_variables = {} }: RestartRun,
): Promise<{ workflow_run_id: number; cog_ids: number[]; restarted_from_run_id: number }> {
  return db.transaction(async (tx) => {
    await requireStarter(tx, caller, runId);
    const old = await lockRun(tx, runId);
    if (!old || !isTerminal(old.status)) {
      throw conflict(
        'run_not_finished',
        'This run has not ended yet. Wait for it, or cancel it first.',
      );
    }
    const given = { ...withoutNulls(old.extra_variables), ...extra_variables };
    const ids = old.graph.nodes.map((node) => node.node_definition_id);
    const variables = await threads.run(caller.tenant_id, 'resolve', {
      graph: JSON.stringify(old.graph),
      definitions: await definitionsAsJson(tx, caller.tenant_id, ids),
      given,
    });
    const files = await findInputFiles(tx, caller.tenant_id, runId);
    await requireInputs(
      tx,
      caller,
      files.map((file) => file.cog_id),
    );
    if (old.output_parent_id) await requireOutputFolder(tx, caller, old.output_parent_id);
    const changed = new Set(
      Object.keys(variables).filter((name) => variables[name] !== old.extra_variables[name]),
    );

    const run = await acceptRun(
      tx,
      {
        tenant_id: old.tenant_id,
        workflow_id: old.workflow_id,
        workflow_version_id: old.workflow_version_id,
        graph: old.graph,
        extra_variables: variables,
        started_by: caller.user_id,
        test_run: old.test_run,
        priority: old.priority,
        on_failure: old.on_failure,
        output_parent_id: old.output_parent_id,
        restarted_from_run_id: runId,
        restart_mode: mode ?? (old.status === 'success' ? 'all' : 'failed'),
        restart_touched: await nodesThatUse(tx, caller.tenant_id, old.graph.nodes, changed),
      },
      files,
    );
    await markSuperseded(tx, old.tenant_id, runId, run.id);
    return {
      workflow_run_id: run.id,
      cog_ids: files.map((file) => file.cog_id),
      restarted_from_run_id: runId,
    };
  });
}

/**
 * As at a start: the run has pinned the bytes, but only who may read the files now may read them
 * again. What was deleted nobody may.
 */
async function requireInputs(tx: Db, caller: Caller, cogIds: number[]) {
  const cogs = await reach(tx, caller, cogIds);
  if (cogs.some(({ access }) => !allows(access, 'view'))) {
    throw forbidden('You no longer have access to a file of this run.');
  }
  if (cogs.length < new Set(cogIds).size) {
    throw new DomainError('not_found', 'A file of this run was deleted, so it cannot run again.');
  }
}

/** A folder that was deleted is no hindrance: then the results go where they go without one. */
async function requireOutputFolder(tx: Db, caller: Caller, id: number) {
  const [folder] = await reach(tx, caller, [id]);
  if (!folder || allows(folder.access, 'upload')) return;
  throw forbidden("You may no longer add to the folder of this run's outputs.");
}

/** A variable without a value is stored as null, and given as nothing. */
const withoutNulls = (variables: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== null));

/** Nodes whose params, condition or command refer to one of the variables. */
async function nodesThatUse(tx: Db, tenantId: number, nodes: GraphNode[], variables: Set<string>) {
  if (variables.size === 0) return [];
  const definitions = await definitionsOf(
    tx,
    tenantId,
    nodes.map((node) => node.node_definition_id),
  );
  return nodes
    .filter((node) => {
      const command = definitions.get(node.node_definition_id)?.command ?? [];
      const texts = [...command, JSON.stringify(node.params ?? {})];
      const parsed = node.when === undefined ? undefined : parseExpression(node.when);
      const inCondition = parsed && 'ast' in parsed ? referencesOf(parsed.ast) : [];
      const used = [...texts.flatMap(referencesIn), ...inCondition];
      return used.some(({ kind, name }) => kind === 'vars' && variables.has(name));
    })
    .map((node) => node.key);
}
