/**
 * Accepts a run: threads first check graph and variables; everything else is checked and pinned in
 * one transaction, so a refused start leaves nothing behind.
 */
import { type AssignmentFault, assignFiles, type Limits } from '@cogworks/graph/assign';
import { inputLimits } from '@cogworks/graph/lanes';
import type { Graph, GraphInput } from '@cogworks/graph/types';
import type { Caller } from '../../callers.ts';
import { inCredits, inThousandths } from '../../credits/prices.ts';
import type { Db } from '../../db/connection.ts';
import { type Effect, NeedsTurn, type Way } from '../../effects.ts';
import { secretNames } from '../../engine/attempts/orders.ts';
import { type Plan, paramsOf, planGraph } from '../../engine/kernel/plan.ts';
import type { Plans } from '../../engine/plans.ts';
import type { RunRow } from '../../engine/records.ts';
import type { Rounds } from '../../engine/rounds/rounds.ts';
import { beginRun, type RunToBegin } from '../../engine/starting.ts';
import type { NewInputFile } from '../../engine/tables/outputs.ts';
import { badField, conflict, type FieldFault, unprocessableFor } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { type ReadableFile, readableFiles, TooManyFiles } from '../cogs/files/files.ts';
import { definitionsOf } from '../node_definitions/node_definitions.ts';
import { requireAccess } from '../permissions/access.ts';
import { missingSecrets } from '../secrets/secrets.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import { resolvedVariables } from '../workflows/resolved-variables.ts';
import { getVersion, graphToCheck, requireValid } from '../workflows/versions.ts';
import { findEarlier } from './earlier.ts';
import type { StartRun } from './schema.ts';

export const mostFiles = 100_000;
/** What can start of them is written while the caller waits. */
const mostNodeRuns = 250_000;
/** A larger start has its own transaction, so that it does not delay the others of a round. */
const mostOfRound = 500;
/** Up to this size as JSON, a graph and its variables are checked faster here than in a thread. */
const mostBytesHere = 32 * 1024;

/** A start as users ask for it, or a trigger for them. */
export type WantedRun = StartRun & { trigger_id?: number };

type Started = { workflow_run_id: number; cog_ids: number[] };

/**
 * Checks the graph and the variables of a start. A thread may need seconds for it, and no
 * transaction is open meanwhile. A graph with a cached plan has run before, so it is valid.
 *
 * @returns a function that starts the version over the files, pinned to their current bytes; it
 *   throws 404 or 403 for cogs, 422 for files (all faults at once), 409 `version_changed`,
 *   `version_archived`, `registry_credentials_missing` or `insufficient_credits`.
 * @throws DomainError 404, 409 `version_archived`, 422 for `until`, graph or variables (all faults
 *   at once).
 */
export async function prepareStart(
  services: StartServices,
  threads: GraphThreads,
  caller: Caller,
  versionId: number,
  request: WantedRun,
): Promise<Effect<Started>> {
  const { db, rounds } = services;
  const { tenant_id } = caller;
  const version = await versionToRun(db, caller, versionId);
  const given = request.extra_variables ?? {};
  if (request.until !== undefined) {
    const part = await readPart(db, threads, caller, versionId, request.until, given);
    const checked = { version, ...part };
    return (db, way) => startRun({ ...services, db }, caller, checked, request, way);
  }
  // By the whole graph, because the node runs of a run have the titles it had then.
  const graph_hash = Buffer.from(version.graph_hash, 'hex');
  const known = rounds.ground.plans.find({ tenant_id, graph_hash });
  const graph = known
    ? {
        plan: known,
        graph_hash,
        variables: await resolve(threads, caller, known, given),
        graph_text: undefined,
        // A plan found with the version belongs to it.
        logic_hash: undefined,
      }
    : await readGraph(db, threads, caller, versionId, given);
  const checked = { version, ...graph };
  return (db, way) => startRun({ ...services, db }, caller, checked, request, way);
}

async function readGraph(
  db: Db,
  threads: GraphThreads,
  caller: Caller,
  versionId: number,
  given: Record<string, unknown>,
) {
  const { checked, graph_hash, logic_hash } = await graphToCheck(db, caller, versionId);
  const planned = await planChecked(db, threads, caller, checked, given);
  return { ...planned, graph_hash: Buffer.from(graph_hash, 'hex'), logic_hash };
}

/** The part of a version that leads to a node; faults elsewhere in its graph do not matter. */
async function readPart(
  db: Db,
  threads: GraphThreads,
  caller: Caller,
  versionId: number,
  until: string,
  given: Record<string, unknown>,
) {
  const { checked: whole, logic_hash } = await graphToCheck(db, caller, versionId);
  const part = await threads.run(caller.tenant_id, 'part', { ...whole, until });
  if (!part) throw badField('until', 'This version has no node with that key.', 'unknown_node');
  const { text, hash, logic_hash: _, ...places } = part;
  const checked = { graph: text, definitions: whole.definitions };
  const planned = await planChecked(db, threads, caller, checked, given);
  return { ...planned, graph_hash: Buffer.from(hash, 'hex'), logic_hash, places };
}

async function planChecked(
  db: Db,
  threads: GraphThreads,
  { tenant_id }: Caller,
  checked: Awaited<ReturnType<typeof graphToCheck>>['checked'],
  given: Record<string, unknown>,
) {
  requireValid(await threads.run(tenant_id, 'check', checked));
  const variables = await threads.run(tenant_id, 'resolve', { ...checked, given });
  const graph = JSON.parse(checked.graph) as Graph;
  const definitions = await definitionsOfGraph(db, tenant_id, graph);
  return { plan: planGraph(graph, definitions), variables, graph_text: checked.graph };
}

function resolve(
  threads: GraphThreads,
  { tenant_id }: Caller,
  { graph, nodes, bytes }: Plan,
  given: Record<string, unknown>,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const definitions = new Map(nodes.map(({ definition }) => [definition.id, definition]));
  if (bytes + JSON.stringify(given).length <= mostBytesHere)
    return resolvedVariables(graph, definitions, given);
  return threads.run(tenant_id, 'resolve', {
    graph: JSON.stringify(graph),
    definitions: JSON.stringify([...definitions.values()]),
    given,
  });
}

async function versionToRun(db: Db, caller: Caller, id: number) {
  const version = await getVersion(db, caller, id);
  if (version.state === 'archived') {
    throw conflict(
      'version_archived',
      `Version ${version.version_number} is archived and cannot run. Choose another version.`,
    );
  }
  return version;
}

type Checked = Pick<RunToBegin, 'plan' | 'graph_text'> & {
  version: Awaited<ReturnType<typeof versionToRun>>;
  graph_hash: Uint8Array;
  variables: Record<string, unknown>;
  /** What was checked of the version, if that may do something else by now. */
  logic_hash: string | undefined;
  /** Where files go, if not only to the inputs of the plan's graph. */
  places?: Places;
};

/** Inputs that files are given to, and how many each takes. */
type Places = { inputs: readonly GraphInput[]; limits: Limits };

export type StartServices = Pick<Services, 'rounds' | 'largeWrites'> & { db: Db };

async function startRun(
  { db, rounds, largeWrites }: StartServices,
  caller: Caller,
  checked: Checked,
  request: WantedRun,
  { isAlone, hasTurn }: Way,
): Promise<Started> {
  const started = ({ id }: RunRow) => ({ workflow_run_id: id, cog_ids: request.cog_ids });
  const { plans } = rounds.ground;
  const apart = (most: number) =>
    db.transaction(async (tx) => {
      const start = await prepareRun(tx, plans, caller, checked, request, most);
      return started(await beginRun(tx, rounds.ground, start));
    });
  // A file that several folders hold counts more than once here.
  if (hasTurn) return apart(2 * mostFiles);
  const isLarge = Math.max(request.cog_ids.length, checked.plan.nodes.length) > mostOfRound;
  if (isLarge || request.reuse_from_run_id !== undefined) throw new NeedsTurn(largeWrites);
  try {
    if (!isAlone) return await apart(mostOfRound);
    const start = await prepareRun(db, plans, caller, checked, request, mostOfRound);
    return started(await startInRound(rounds, start));
  } catch (error) {
    // A folder may hold any number of files.
    throw error instanceof TooManyFiles ? new NeedsTurn(largeWrites) : error;
  }
}

/** Starts a run in the next round. */
async function startInRound(rounds: Rounds, start: RunToBegin): Promise<RunRow> {
  const { run } = await rounds.do({ do: 'start', start });
  if (start.graph_text !== undefined) rounds.ground.plans.keep(run, start.plan);
  return run;
}

/**
 * Everything that a run begins with, checked now.
 *
 * @throws TooManyFiles when it has more than `most` files and a run might take them.
 */
async function prepareRun(
  tx: Db,
  plans: Plans,
  caller: Caller,
  { version: seen, plan, graph_text, graph_hash, variables, logic_hash, places }: Checked,
  request: WantedRun,
  most: number,
): Promise<RunToBegin> {
  const version = logic_hash ? await requireSameLogic(tx, caller, seen.id, logic_hash) : seen;
  const given = await inputFiles(tx, caller, plan.graph, request.cog_ids, most);
  const files = assign(plan, places ?? placesOf(plan), given);
  if (request.output_parent_id !== undefined)
    await requireAccess(tx, caller, request.output_parent_id, 'upload');
  const run = {
    tenant_id: caller.tenant_id,
    workflow_id: version.workflow_id,
    workflow_version_id: version.id,
    graph_hash,
    extra_variables: variables,
    started_by: caller.user_id,
    test_run: version.state === 'draft',
    keep_results: keepsResults(version, request),
    priority: request.priority ?? 'normal',
    on_failure: request.on_failure ?? 'continue',
    output_parent_id: request.output_parent_id,
    max_credits: request.max_credits && inCredits(inThousandths(request.max_credits)),
    until: request.until,
    reuse_from_run_id: request.reuse_from_run_id,
    ...(request.trigger_id !== undefined && { trigger_id: request.trigger_id }),
  };
  const { reuse_from_run_id: reused } = request;
  const now = { workflow_id: version.workflow_id, plan, variables, files };
  const earlier =
    reused === undefined ? undefined : await findEarlier(tx, plans, caller, reused, now);
  return requireRunnable(tx, { run, plan, graph_text, files, ...(earlier && { earlier }) });
}

/** A test of a part of a draft is only looked at, unless a place is given for its results. */
function keepsResults(
  { state }: Pick<Checked['version'], 'state'>,
  { keep_results, output_parent_id, until }: WantedRun,
): boolean {
  if (keep_results === false && output_parent_id !== undefined)
    throw badField('keep_results', 'Results in a folder that is given are kept.', 'excluded');
  return (
    keep_results ?? (state !== 'draft' || until === undefined || output_parent_id !== undefined)
  );
}

async function requireSameLogic(tx: Db, caller: Caller, id: number, logic_hash: string) {
  const version = await versionToRun(tx, caller, id);
  if (version.logic_hash === logic_hash) return version;
  throw conflict(
    'version_changed',
    'Somebody changed this draft while it was being checked. Start it again.',
  );
}

/**
 * The checks common to first starts and restarts. Credentials of registries are checked when the
 * run begins.
 *
 * @param start with resolved variables, params checked with them, and checked files, each with its
 * position in an input of the graph.
 */
export async function requireRunnable(tx: Db, start: RunToBegin): Promise<RunToBegin> {
  const { run, plan, files } = start;
  requireSize(plan, files);
  await requireSecrets(tx, run.tenant_id, plan, run.extra_variables);
  return start;
}

const definitionsOfGraph = (tx: Db, tenantId: number, graph: Graph) =>
  definitionsOf(
    tx,
    tenantId,
    graph.nodes.map((node) => node.node_definition_id),
  );

/** A file as a run pins it: its current bytes, whatever happens to the cog later. */
type PinnedFile = Omit<NewInputFile, 'input_name' | 'position'>;

async function inputFiles(
  tx: Db,
  caller: Caller,
  graph: Graph,
  cogIds: number[],
  most: number,
): Promise<PinnedFile[]> {
  const seen = new Set<number>();
  const doubled = cogIds.flatMap((id, index): FieldFault[] => {
    const again = seen.has(id);
    seen.add(id);
    const msg = `The file or folder ${id} is given twice.`;
    return again ? [{ loc: ['body', 'cog_ids', index], msg, type: 'doubled' }] : [];
  });
  if (doubled.length > 0) throw unprocessableFor(doubled);
  if (cogIds.length === 0 && graph.inputs.length > 0) {
    throw badField('cog_ids', 'This workflow needs at least one file.', 'empty');
  }
  const files = await readableFiles(tx, caller, cogIds, most).catch((error: unknown) => {
    throw error instanceof TooManyFiles && most > mostFiles ? tooManyFiles() : error;
  });
  if (files.length > mostFiles) throw tooManyFiles();
  if (files.length === 0 && graph.inputs.length > 0) {
    throw badField('cog_ids', 'The chosen folders hold no files.', 'empty');
  }
  return files.map(pinned);
}

const tooManyFiles = () =>
  badField('cog_ids', `A run takes at most ${mostFiles} files.`, 'too_many_files');

const pinned = (file: ReadableFile): PinnedFile => ({
  cog_id: file.cog_id,
  version: file.version,
  name: file.name,
  media_type: file.mime_type,
  object_id: file.object_id,
  size_bytes: file.size_bytes,
  checksum_sha256: file.checksum_sha256,
});

function placesOf({ graph, nodes }: Plan): Places {
  const definitions = new Map(nodes.map(({ definition }) => [definition.id, definition]));
  return { inputs: graph.inputs, limits: inputLimits(graph, definitions) };
}

/** The files of a run. Those that go to an input outside of its graph are left out. */
function assign({ graph }: Plan, { inputs, limits }: Places, files: PinnedFile[]): NewInputFile[] {
  const { assigned, faults } = assignFiles(inputs, files, limits);
  if (faults.length > 0)
    throw unprocessableFor(faults.map((fault) => assignmentFault(fault, files)));
  const taken = graph.inputs.flatMap(({ name: input_name }) =>
    (assigned.get(input_name) ?? []).map((place, position) => ({
      ...{ ...(files[place] as PinnedFile), input_name, position },
    })),
  );
  if (taken.length === 0 && graph.inputs.length > 0)
    throw badField('cog_ids', 'None of these files goes to a node that is to run.', 'empty');
  return taken;
}

function assignmentFault(
  { code, message, index }: AssignmentFault,
  files: PinnedFile[],
): FieldFault {
  const name = index === undefined ? '' : `${files[index]?.name}: `;
  return {
    loc: ['body', 'cog_ids', ...(index === undefined ? [] : [index])],
    msg: `${name}${message}`,
    type: code,
  };
}

/** Every mapped node runs once per file: 2,000 nodes over 10,000 files would be 20 million. */
function requireSize(plan: Plan, files: readonly NewInputFile[]) {
  const perInput = Map.groupBy(files, (file) => file.input_name);
  const count = plan.nodes.reduce((sum, { domain }) => {
    const lanes = domain?.kind === 'input' ? (perInput.get(domain.input)?.length ?? 0) : 1;
    return sum + lanes;
  }, 0);
  if (count <= mostNodeRuns) return;
  const msg = `This run would have ${count} steps; at most ${mostNodeRuns} are possible. Start several runs with fewer files.`;
  throw badField('cog_ids', msg, 'too_many_node_runs');
}

async function requireSecrets(
  tx: Db,
  tenantId: number,
  plan: Plan,
  variables: Record<string, unknown>,
) {
  const names = plan.nodes.flatMap((node) => secretNames(paramsOf(node, variables)));
  const missing = await missingSecrets(tx, tenantId, [...new Set(names)]);
  if (missing.length === 0) return;
  throw unprocessableFor(
    missing.map((name) => ({
      loc: ['graph', 'params', '$secret'],
      msg: `There is no secret named ${name}. An administrator can add it.`,
      type: 'unknown_secret',
    })),
  );
}
