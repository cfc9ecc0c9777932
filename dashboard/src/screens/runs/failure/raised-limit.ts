/** What raising a limit of a step means for its definition and its workflow. Pure. */
import { sameJson } from '@cogworks/graph/edit/changes';
import { setNodeField } from '@cogworks/graph/edit/edits';
import { mostOf } from '@cogworks/graph/resources';
import type { Graph } from '@cogworks/graph/types';
import type {
  NewNodeDefinition,
  NodeDefinition,
  NodeRun,
  User,
  Workflow,
  WorkflowRun,
  WorkflowVersionSummary,
} from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { formatCount } from '../../../ui/format.ts';

export type LimitName = keyof typeof mostOf;

/** The limit that a step most likely reached. */
export function limitReached({ error_class }: Pick<NodeRun, 'error_class'>): LimitName {
  if (error_class === 'timeout') return 'timeout_seconds';
  return error_class === 'disk_limit' ? 'disk_mb' : 'memory_mb';
}

type Limited = Pick<NodeDefinition, 'resources' | 'timeout_seconds'>;

export const limitOf = ({ resources, timeout_seconds }: Limited, name: LimitName): number =>
  name === 'timeout_seconds' ? timeout_seconds : resources[name];

export const mostFor = (name: LimitName): number => mostOf[name];

/** Twice as much, as far as that is possible. */
export const proposedFor = (had: number, name: LimitName): number =>
  Math.min(2 * had, mostOf[name]);

/** Of typed text. @returns undefined for what is no whole number. */
export const amountIn = (text: string): number | undefined =>
  /^\s*\d{1,12}\s*$/.test(text) ? Number(text) : undefined;

export function faultOf(text: string, had: number, name: LimitName): string | undefined {
  const amount = amountIn(text);
  if (amount === undefined) return t`A whole number.`;
  const most = mostFor(name);
  if (had >= most) return t`It has the most that is possible.`;
  if (amount <= had) return t`More than ${formatCount(had)}, which it has now.`;
  return amount > most ? t`At most ${formatCount(most)}.` : undefined;
}

type Unversioned = Omit<NewNodeDefinition, 'version'>;

/** The same definition with another limit, still without a version. */
export function withLimit(
  definition: NodeDefinition,
  name: LimitName,
  amount: number,
): Unversioned {
  const same = unversioned(definition);
  if (name === 'timeout_seconds') return { ...same, timeout_seconds: amount };
  return { ...same, resources: { ...definition.resources, [name]: amount } };
}

function unversioned({
  id: _id,
  version: _version,
  scope: _scope,
  created_at: _created,
  ...same
}: NodeDefinition): Unversioned {
  return same;
}

/** One that the organization has registered already. */
export const registeredAs = (rows: readonly NodeDefinition[], wanted: Unversioned) =>
  rows.find((one) => one.scope === 'tenant' && sameJson(unversioned(one), wanted));

/** The graph with another definition wherever it uses this one. */
export const withDefinition = (graph: Graph, before: number, after: number): Graph =>
  nodesWith(graph, before).reduce(
    (now, { key }) => setNodeField(now, key, 'node_definition_id', after),
    graph,
  );

export const nodesWith = ({ nodes }: Graph, definition: number) =>
  nodes.filter(({ node_definition_id }) => node_definition_id === definition);

type Version = Pick<
  WorkflowVersionSummary,
  'id' | 'version_number' | 'state' | 'created_by' | 'workflow_id'
>;

/** The newest version that may have been made by an earlier try. */
export const newestAfter = <One extends Version>(
  versions: readonly One[],
  { version_number }: Version,
): One | undefined =>
  versions
    .filter((one) => one.version_number > version_number && one.state !== 'archived')
    .toSorted((a, b) => b.version_number - a.version_number)[0];

/** Whether the new version is published, or why it stays a draft. */
export type Publication =
  | { publish: true }
  | { publish: false; because: 'unpublished' }
  | { publish: false; because: 'newer' | 'draft'; version: Version };

/**
 * The newest published version is the one that triggers and new runs take, so that publishing would
 * take the place of whatever came after the version that has run, and keep a draft between from ever
 * taking effect.
 *
 * @param ran the version of the run. @param made the new version, once there is one.
 */
export function publicationOf(
  ran: Version,
  versions: readonly Version[],
  made?: Pick<Version, 'id'>,
): Publication {
  if (ran.state !== 'published') return { publish: false, because: 'unpublished' };
  const newer = versions.filter(
    (one) => one.version_number > ran.version_number && one.id !== made?.id,
  );
  const published = newestAfter(
    newer.filter(({ state }) => state === 'published'),
    ran,
  );
  if (published) return { publish: false, because: 'newer', version: published };
  const draft = newestAfter(newer, ran);
  return draft ? { publish: false, because: 'draft', version: draft } : { publish: true };
}

/** What keeps somebody from it. */
export type Missing = 'workflow' | 'run';

export function missingRight(
  me: Pick<User, 'id' | 'role'>,
  workflow: Pick<Workflow, 'created_by'>,
  run: Pick<WorkflowRun, 'started_by'>,
): Missing | undefined {
  if (me.role === 'admin') return undefined;
  if (workflow.created_by !== me.id) return 'workflow';
  return run.started_by === me.id ? undefined : 'run';
}
