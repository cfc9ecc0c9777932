/** What raising a limit would do now, and what of it is done, by what is there. Pure. */
import { sameJson } from '@cogworks/graph/edit/changes';
import type {
  NodeDefinition,
  WorkflowVersionSummary as Summary,
  User,
  WorkflowVersion as Version,
  Workflow,
} from '@cogworks/sdk/contract.gen';
import { asGraph } from '../../../contract-graph.ts';
import {
  type LimitName,
  limitOf,
  type Publication,
  publicationOf,
  registeredAs,
  withDefinition,
  withLimit,
} from './raised-limit.ts';

/** As it was read. */
export type Known = {
  me: Pick<User, 'id' | 'role'>;
  workflow: Pick<Workflow, 'created_by'>;
  /** Of the step. */
  definition: NodeDefinition;
  /** The versions of that definition, and others with a similar name. */
  definitions: readonly NodeDefinition[];
  /** The version that has run, as it is now. */
  ran: Version;
  /** Whether it does something else by now than what ran; undefined: not known. */
  isChanged: boolean | undefined;
  versions: readonly Summary[];
  /** The newest version after it. */
  newest: Version | undefined;
};

/** What this dialog has done. */
export type Done = { definition?: NodeDefinition; version?: Version; isPublished?: boolean };

/** Each part is undefined or false as long as it is to be done. */
export type Plan = {
  definition: NodeDefinition | undefined;
  version: Version | undefined;
  isPublished: boolean;
  publication: Publication;
  /** What the version does that is changed. */
  logic_hash: string;
};

/** @param amount undefined while none is given. */
export function planOf(
  known: Known,
  name: LimitName,
  amount: number | undefined,
  done: Done,
): Plan {
  const { ran, versions } = known;
  const definition = done.definition ?? definitionWith(known, name, amount);
  const version = madeBefore(known, done.version) ?? versionWith(known, definition);
  const now = versions.find(({ id }) => id === version?.id) ?? version;
  const isPublished = done.isPublished === true || now?.state === 'published';
  const publication: Publication = isPublished
    ? { publish: true }
    : publicationOf(ran, versions, version);
  return { definition, version, isPublished, publication, logic_hash: ran.logic_hash };
}

const definitionWith = (
  { definition, definitions }: Known,
  name: LimitName,
  amount: number | undefined,
): NodeDefinition | undefined =>
  amount === undefined ? undefined : registeredAs(definitions, withLimit(definition, name, amount));

/** A draft that somebody has edited since does something else, or may do so. */
const madeBefore = ({ versions }: Known, made: Version | undefined): Version | undefined =>
  versions.some(({ id, logic_hash }) => id === made?.id && logic_hash !== made.logic_hash)
    ? undefined
    : made;

/**
 * One that is there already with that definition, by a try whose dialog was closed. Drafts of others
 * are left alone: they may have reasons not to publish them.
 */
function versionWith(
  { ran, newest, definition: before, me }: Known,
  after: NodeDefinition | undefined,
): Version | undefined {
  if (!newest || !after) return undefined;
  if (newest.state !== 'published' && newest.created_by !== me.id) return undefined;
  const wanted = withDefinition(asGraph(ran.graph), before.id, after.id);
  return sameJson(newest.graph, wanted) ? newest : undefined;
}

/** The limit of a try before, whose dialog was closed. */
export function amountTried(known: Known, name: LimitName): number | undefined {
  const { definition, definitions } = known;
  const tried = definitions.find((one) => {
    const amount = limitOf(one, name);
    const isRaised = amount > limitOf(definition, name);
    const isSame = registeredAs([one], withLimit(definition, name, amount)) !== undefined;
    return isRaised && isSame && versionWith(known, one) !== undefined;
  });
  return tried && limitOf(tried, name);
}

/** Whether both do the same, so that what was agreed to is what is done. */
export const isSamePlan = (one: Plan, other: Plan): boolean => sameJson(gistOf(one), gistOf(other));

const gistOf = ({ definition, version, isPublished, publication, logic_hash }: Plan) => ({
  ...{ definition: definition?.id ?? null, version: version?.id ?? null, isPublished, logic_hash },
  because: publication.publish ? null : publication.because,
  newer: 'version' in publication ? publication.version.id : null,
});
