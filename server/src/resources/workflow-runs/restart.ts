/**
 * Restarting: a new run over the same files, which reuses successful node runs of the old one. The
 * old run is never changed.
 */

import type { Caller } from '../../callers.ts';
import { inCredits, inThousandths } from '../../credits/prices.ts';
import type { Db } from '../../db/connection.ts';
import { type Effect, NeedsTurn } from '../../effects.ts';
import { beginRun } from '../../engine/starting.ts';
import { markSuperseded } from '../../engine/tables/runs.ts';
import { badField, conflict, forbidden } from '../../errors.ts';
import { definitionsAsJson } from '../node_definitions/node_definitions.ts';
import { reach } from '../permissions/access.ts';
import { allows } from '../permissions/rules.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import {
  countersOfRun,
  nodesThatUse,
  requireAllAgain,
  requireChoices,
  requireReachable,
} from './chosen.ts';
import { lockEarlier, requireEnded } from './earlier.ts';
import { findRunGraph } from './queries.ts';
import { requireStarter } from './runs.ts';
import type { RestartRun } from './schema.ts';
import { requireRunnable, type StartServices } from './start.ts';

type Restarted = { workflow_run_id: number; cog_ids: number[]; restarted_from_run_id: number };

/**
 * Checks the variables of a restart. A thread may need seconds for it, and no transaction is open
 * meanwhile. The definitions and the graph they are checked with never change.
 *
 * @returns a function that restarts the run; it throws 403 if a right was revoked, 404 if the run
 *   or an input was deleted, and the errors of a start.
 * @throws DomainError 404, 403, 409 `run_not_finished`, 422 for variables.
 */
export async function prepareRestart(
  services: StartServices,
  threads: GraphThreads,
  caller: Caller,
  runId: number,
  { extra_variables = {}, ...wanted }: RestartRun,
): Promise<Effect<Restarted>> {
  const { db, largeWrites } = services;
  if (wanted.only && wanted.mode)
    throw badField('mode', 'Give a mode, or what is to run again; not both.', 'excluded');
  const ended = requireEnded(await requireStarter(db, caller, runId));
  const graph = await findRunGraph(db, caller.tenant_id, runId);
  const variables = await threads.run(caller.tenant_id, 'resolve', {
    graph: graph.json,
    definitions: await definitionsAsJson(db, caller.tenant_id, graph.definition_ids),
    given: { ...withoutNulls(ended.extra_variables), ...extra_variables },
  });

  return async (db, { hasTurn }) => {
    if (!hasTurn) throw new NeedsTurn(largeWrites);
    return restartRun({ ...services, db }, caller, runId, variables, wanted);
  };
}

function restartRun(
  { db, rounds }: StartServices,
  caller: Caller,
  runId: number,
  variables: Record<string, unknown>,
  { mode, max_credits, only }: Omit<RestartRun, 'extra_variables'>,
): Promise<Restarted> {
  return db.transaction(async (tx) => {
    const { run: old, files } = await lockEarlier(tx, caller, runId);
    if (old.output_parent_id) await requireOutputFolder(tx, caller, old.output_parent_id);
    const changed = new Set(
      Object.keys(variables).filter((name) => variables[name] !== old.extra_variables[name]),
    );

    const areGone = old.results_removed_at !== undefined;
    if (only && areGone) throw resultsRemoved();
    const plan = await rounds.ground.plans.planOf(tx, old);
    if (only) {
      requireChoices(plan, await countersOfRun(tx, runId), only);
      requireAllAgain(plan, changed, only);
    }
    const start = await requireRunnable(tx, {
      plan,
      graph_text: undefined,
      files,
      run: {
        tenant_id: old.tenant_id,
        workflow_id: old.workflow_id,
        workflow_version_id: old.workflow_version_id,
        graph_hash: old.graph_hash,
        extra_variables: variables,
        started_by: caller.user_id,
        test_run: old.test_run,
        keep_results: old.keep_results,
        priority: old.priority,
        on_failure: old.on_failure,
        output_parent_id: old.output_parent_id,
        max_credits: max_credits ? inCredits(inThousandths(max_credits)) : old.max_credits,
        until: old.until,
        restarted_from_run_id: runId,
        restart_mode: areGone ? 'all' : (mode ?? (old.status === 'success' ? 'all' : 'failed')),
        restart_touched: nodesThatUse(plan, changed).map(({ key }) => key),
        ...(only && { restart_only: only }),
      },
    });
    const run = await beginRun(tx, rounds.ground, start, requireReachable);
    await markSuperseded(tx, old.tenant_id, runId, run.id);
    return {
      workflow_run_id: run.id,
      cog_ids: files.map((file) => file.cog_id),
      restarted_from_run_id: runId,
    };
  });
}

const resultsRemoved = () =>
  conflict(
    'results_removed',
    'The results of this test were removed, so nothing can be taken over. Restart all of it instead.',
  );

/** A deleted folder does not prevent a restart: results then go to the default folder. */
async function requireOutputFolder(tx: Db, caller: Caller, id: number) {
  const [folder] = await reach(tx, caller, [id]);
  if (!folder || allows(folder.access, 'upload')) return;
  throw forbidden("You may no longer add to the folder of this run's outputs.");
}

/** A variable without a value is stored as null, but passed as absent. */
const withoutNulls = (variables: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== null));
