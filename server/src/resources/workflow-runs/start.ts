/**
 * Accepting a run: threads check graph and variables first; all the rest is checked and pinned in
 * one transaction, and nothing is visible when any of it fails.
 */
import { type AssignmentFault, assignFiles } from '@cogworks/graph/assign';
import { registryOf } from '@cogworks/graph/image-reference';
import { inputLimits } from '@cogworks/graph/lanes';
import type { Graph } from '@cogworks/graph/types';
import type { Db } from '../../db/connection.ts';
import { beginRun } from '../../engine/begin.ts';
import { secretNames } from '../../engine/order.ts';
import { piecesOf } from '../../engine/pieces.ts';
import { type Plan, planRun } from '../../engine/plan.ts';
import type { RunRow } from '../../engine/records.ts';
import { addInputFiles, addRun, type NewInputFile, type NewRun } from '../../engine/runs.ts';
import { badField, conflict, type FieldFault, unprocessableFor } from '../../errors.ts';
import type { Effect } from '../../http/idempotency.ts';
import type { Caller } from '../../services.ts';
import { type ReadableFile, readableFiles } from '../cogs/files.ts';
import { definitionsOf } from '../node_definitions/node_definitions.ts';
import type { NodeDefinition } from '../node_definitions/schema.ts';
import { requireAccess } from '../permissions/access.ts';
import { missingSecrets, serversWithCredentials } from '../secrets/secrets.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import { getVersion, graphToCheck, requireValid } from '../workflows/versions.ts';
import type { StartRun } from './schema.ts';

const mostFiles = 10_000;
/** They are all written while the caller waits: about 15 seconds. */
const mostNodeRuns = 250_000;

type Started = { workflow_run_id: number; cog_ids: number[] };

/**
 * Checks the graph and the variables of a start, which may take a thread seconds: no transaction
 * is open meanwhile.
 *
 * @returns starts the version over the files, each pinned to the bytes it has then; throws 404 or
 *   403 for cogs, 422 for files (all faults at once), 409 `version_changed`, `version_archived` or
 *   `registry_credentials_missing`.
 * @throws DomainError 404, 409 `version_archived`, 422 for graph or variables (all faults at once).
 */
export async function prepareStart(
  db: Db,
  threads: GraphThreads,
  caller: Caller,
  versionId: number,
  request: StartRun,
): Promise<Effect<Started>> {
  // Read before the graph, so that what is not this revision's graph is refused in the end.
  const { revision } = await versionToRun(db, caller, versionId);
  const checked = await graphToCheck(db, caller, versionId);
  requireValid(await threads.run(caller.tenant_id, 'check', checked));
  const given = request.extra_variables ?? {};
  const variables = await threads.run(caller.tenant_id, 'resolve', { ...checked, given });
  const graph = JSON.parse(checked.graph) as Graph;
  return (db) => startRun(db, caller, { id: versionId, revision, graph, variables }, request);
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

type Checked = { id: number; revision: number; graph: Graph; variables: Record<string, unknown> };

function startRun(
  db: Db,
  caller: Caller,
  { id, revision, graph, variables }: Checked,
  request: StartRun,
): Promise<Started> {
  return db.transaction(async (tx) => {
    const version = await versionToRun(tx, caller, id);
    if (version.revision !== revision) {
      throw conflict(
        'version_changed',
        'Somebody changed this draft while it was being checked. Start it again.',
      );
    }
    const files = await inputFiles(tx, caller, graph, request.cog_ids);
    const definitions = await definitionsOfGraph(tx, caller.tenant_id, graph);
    const assigned = assign(graph, definitions, files);
    if (request.output_parent_id !== undefined)
      await requireAccess(tx, caller, request.output_parent_id, 'upload');

    const run = await acceptRun(
      tx,
      {
        tenant_id: caller.tenant_id,
        workflow_id: version.workflow_id,
        workflow_version_id: version.id,
        graph,
        extra_variables: variables,
        started_by: caller.user_id,
        test_run: version.state === 'draft',
        priority: request.priority ?? 'normal',
        on_failure: request.on_failure ?? 'continue',
        output_parent_id: request.output_parent_id,
      },
      assigned,
    );
    return { workflow_run_id: run.id, cog_ids: request.cog_ids };
  });
}

/**
 * What every run needs, a first one and a restarted one alike.
 *
 * @param newRun with variables that were resolved, and params checked with them.
 * @param files checked already, each with its place in an input of the graph.
 */
export async function acceptRun(tx: Db, newRun: NewRun, files: NewInputFile[]): Promise<RunRow> {
  const { graph, tenant_id } = newRun;
  const definitions = await definitionsOfGraph(tx, tenant_id, graph);
  const plan = planRun(graph, definitions, newRun.extra_variables);
  requireSize(plan, files);
  await requireSecrets(tx, tenant_id, plan);
  await requireCredentials(tx, tenant_id, definitions);

  const run = await addRun(tx, newRun);
  for (const piece of piecesOf(files)) await addInputFiles(tx, tenant_id, run.id, piece);
  const cogs = Map.groupBy(files, (file) => file.input_name);
  await beginRun(
    tx,
    run,
    plan,
    new Map([...cogs].map(([name, of]) => [name, of.map((file) => file.cog_id)])),
  );
  return run;
}

const definitionsOfGraph = (tx: Db, tenantId: number, graph: Graph) =>
  definitionsOf(
    tx,
    tenantId,
    graph.nodes.map((node) => node.node_definition_id),
  );

/** A file as a run keeps it: the bytes it had, whatever becomes of the cog. */
type PinnedFile = Omit<NewInputFile, 'input_name' | 'position'>;

async function inputFiles(
  tx: Db,
  caller: Caller,
  graph: Graph,
  cogIds: number[],
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
  const files = await readableFiles(tx, caller, cogIds);
  if (files.length > mostFiles)
    throw badField(
      'cog_ids',
      `A run takes at most ${mostFiles} files, not ${files.length}.`,
      'too_many_files',
    );
  if (files.length === 0 && graph.inputs.length > 0) {
    throw badField('cog_ids', 'The chosen folders hold no files.', 'empty');
  }
  return files.map(pinned);
}

const pinned = (file: ReadableFile): PinnedFile => ({
  cog_id: file.cog_id,
  name: file.name,
  media_type: file.mime_type,
  object_id: file.object_id,
  size_bytes: file.size_bytes,
  checksum_sha256: file.checksum_sha256,
});

function assign(
  graph: Graph,
  definitions: Map<number, NodeDefinition>,
  files: PinnedFile[],
): NewInputFile[] {
  const { assigned, faults } = assignFiles(graph.inputs, files, inputLimits(graph, definitions));
  if (faults.length > 0)
    throw unprocessableFor(faults.map((fault) => assignmentFault(fault, files)));
  return [...assigned].flatMap(([input_name, places]) =>
    places.map((place, position) => ({ ...(files[place] as PinnedFile), input_name, position })),
  );
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

/** Every mapped node runs once per file, and 2,000 nodes over 10,000 files would be 20 million. */
function requireSize(plan: Plan, files: NewInputFile[]) {
  const perInput = Map.groupBy(files, (file) => file.input_name);
  const count = [...plan.nodes.values()].reduce((sum, { domain }) => {
    const lanes = domain?.kind === 'input' ? (perInput.get(domain.input)?.length ?? 0) : 1;
    return sum + lanes;
  }, 0);
  if (count <= mostNodeRuns) return;
  const msg = `This run would have ${count} steps; at most ${mostNodeRuns} are possible. Start several runs with fewer files.`;
  throw badField('cog_ids', msg, 'too_many_node_runs');
}

async function requireSecrets(tx: Db, tenantId: number, plan: Plan) {
  const names = [...plan.nodes.values()].flatMap(({ params }) => secretNames(params));
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

async function requireCredentials(
  tx: Db,
  tenantId: number,
  definitions: Map<number, NodeDefinition>,
) {
  const images = [...definitions.values()].map(({ image }) => image);
  // One that is no name asks nobody for anything: the worker refuses it.
  const servers = [...new Set(images.flatMap((image) => registryOf(image) ?? []))];
  const configured = await serversWithCredentials(tx, tenantId, servers);
  const missing = servers.filter((server) => !configured.has(server));
  if (missing.length === 0) return;
  throw conflict(
    'registry_credentials_missing',
    `There are no credentials for the registry at ${missing.join(', ')}. An administrator can add them as a secret of kind registry.`,
  );
}
