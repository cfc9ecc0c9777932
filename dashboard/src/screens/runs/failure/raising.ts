/**
 * Raises a limit of a step: registers a version of its definition, makes a version of the workflow
 * with it, publishes that, and runs the rest. It does what was shown, or stops.
 */
import type {
  NodeDefinition,
  WorkflowRun as Run,
  WorkflowVersion as Version,
} from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { listAll } from '@cogworks/sdk/pages';
import { t } from '@lingui/core/macro';
import { api } from '../../../api.ts';
import { asContract, asGraph } from '../../../contract-graph.ts';
import { versionAfter } from '../../../definition-versions.ts';
import { readVersions } from '../../../workflows.ts';
import {
  type LimitName,
  newestAfter,
  publicationOf,
  withDefinition,
  withLimit,
} from './raised-limit.ts';
import { type Done, isSamePlan, type Known, type Plan, planOf } from './raising-plan.ts';
import { startAfter } from './start-after.ts';

/** @param definitionId of the step. */
export async function readKnown(run: Run, definitionId: number): Promise<Known> {
  const [me, workflow, definition, ran, versions, isChanged] = await Promise.all([
    api.getMe(),
    api.getWorkflow({ path: { id: run.workflow_id } }),
    api.getNodeDefinition({ path: { id: definitionId } }),
    api.getWorkflowVersion({ path: { version_id: run.workflow_version_id } }),
    readVersions(run.workflow_id),
    readIsChanged(run),
  ]);
  const after = newestAfter(versions, ran);
  const [definitions, newest] = await Promise.all([
    definitionsLike(definition),
    after && api.getWorkflowVersion({ path: { version_id: after.id } }),
  ]);
  return { me, workflow, definition, definitions, ran, isChanged, versions, newest };
}

/** Only drafts are edited; a draft may have been since the page has read the run. */
async function readIsChanged({ id, test_run }: Run): Promise<boolean | undefined> {
  if (!test_run) return false;
  return (await api.getRun({ path: { run_id: id } })).is_version_changed;
}

const definitionsLike = ({ name }: NodeDefinition): Promise<NodeDefinition[]> =>
  listAll(api, 'listNodeDefinitions', { query: { q: name, limit: 1000 } });

/** What is done now differs from what was shown. */
export class PlanChanged extends Error {}

const planChanged = () =>
  new PlanChanged(t`Look at what is to be done now. It is done when you go on.`);

type Wanted = {
  run: Run;
  definitionId: number;
  name: LimitName;
  amount: number;
  /** What whoever asks for it has seen. */
  shown: Plan;
  done: Done;
};

type KeyOf = (request: unknown) => string;

type Tools = {
  /** Hears what is known now, and what is done. */
  onKnown: (known: Known) => void;
  onDone: (more: Done) => void;
  keys: { definition: KeyOf; version: KeyOf; run: KeyOf };
};

/** @throws PlanChanged before anything that was not shown is done. */
export async function raise(
  { run, definitionId, name, amount, shown, done }: Wanted,
  { onKnown, onDone, keys }: Tools,
) {
  const known = await readKnown(run, definitionId);
  onKnown(known);
  const plan = planOf(known, name, amount, done);
  if (!isSamePlan(plan, shown)) throw planChanged();
  const definition = plan.definition ?? (await register(known, name, amount, keys.definition));
  onDone({ definition });
  const version = plan.version ?? (await makeVersion(known, definition, keys.version));
  onDone({ version });
  const { publish } = plan.publication;
  if (publish && !plan.isPublished) {
    await publishAfter(known, version);
    onDone({ isPublished: true });
  }
  const started = await startAfter(run, { keyOf: keys.run, version_id: version.id });
  return { ...started, version, isPublished: publish };
}

const mostTries = 3;

async function register(
  { definition: before, definitions }: Known,
  limit: LimitName,
  amount: number,
  keyOf: KeyOf,
): Promise<NodeDefinition> {
  let rows = definitions;
  for (let tries = 1; ; tries++) {
    const body = { ...withLimit(before, limit, amount), version: versionAfter(rows, before) };
    try {
      return await api.registerNodeDefinition({ body, idempotencyKey: keyOf(body) });
    } catch (error) {
      // Somebody else registered a version of that name at the same moment.
      const isTaken = error instanceof ApiError && error.code === 'version_exists';
      if (!isTaken || tries === mostTries) throw error;
      rows = await definitionsLike(before);
    }
  }
}

function makeVersion(
  { ran, newest, definition: before }: Known,
  after: NodeDefinition,
  keyOf: KeyOf,
): Promise<Version> {
  const graph = asContract(withDefinition(asGraph(ran.graph), before.id, after.id));
  const path = { id: ran.workflow_id };
  // Of one that was made and then edited, a second one with the same graph is another request.
  const idempotencyKey = keyOf([graph, newest?.id]);
  return api.createWorkflowVersion({ path, body: { graph }, idempotencyKey });
}

/** Only in the place of the version that has run: somebody else may publish at the same moment. */
async function publishAfter({ ran }: Known, { id, logic_hash }: Version): Promise<void> {
  const versions = await readVersions(ran.workflow_id);
  // A draft that was made at the same moment would be left behind.
  if (!publicationOf(ran, versions, { id }).publish) throw planChanged();
  const body = { logic_hash, published_version_id: ran.id };
  await api.publishWorkflowVersion({ path: { version_id: id }, body });
}
