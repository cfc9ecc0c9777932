/**
 * Versions of a workflow: a draft is edited under its ETag, checked by the validator that the
 * builder also uses, and published permanently.
 */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { conflict, DomainError, notFound, unprocessableFor } from '../../errors.ts';
import type { Page } from '../../pages.ts';
import { definitionsAsJson } from '../node_definitions/node_definitions.ts';
import type { CheckedGraph } from './check-graph.ts';
import { addDraft } from './drafts.ts';
import type { GraphThreads } from './graph-bodies.ts';
import { type GraphText, textOf } from './graph-work.ts';
import {
  findGraph,
  findShownVersion,
  findVariables,
  findVersion,
  listVersionRows,
  lockWorkflow,
  type ShownVersionRow,
  setVersionState,
  updateDraft,
  type VersionRow,
} from './queries.ts';
import type { Publication } from './schema.ts';
import { etagOf, tellOfVersion } from './version-events.ts';
import { getWorkflow, requireCreator } from './workflows.ts';

/** Creates a draft of the given graph, or of the latest version's. */
export function createVersion(
  db: Db,
  caller: Caller,
  workflowId: number,
  graph: GraphText | undefined,
) {
  return db.transaction(async (tx) => {
    const workflow = await requireCreator(tx, caller, workflowId);
    const latest = workflow.latest_version_id
      ? await findShownVersion(tx, caller.tenant_id, workflow.latest_version_id)
      : undefined;
    const copy = latest && graphTextOf(latest);
    return addDraft(tx, caller, workflowId, graph ?? copy ?? emptyGraph());
  });
}

/** The graph of a version that was read. */
export const graphTextOf = (version: ShownVersionRow): GraphText => ({
  text: version.graph_json,
  hash: version.graph_hash,
  logic_hash: version.logic_hash,
});

const emptyGraph = () => textOf({ nodes: [], edges: [], inputs: [], variables: [] });

export async function listVersions(db: Db, caller: Caller, workflowId: number, page: Page) {
  await getWorkflow(db, caller, workflowId);
  return listVersionRows(db, caller.tenant_id, workflowId, page);
}

export async function getVersion(db: Db, caller: Caller, id: number): Promise<VersionRow> {
  const version = await findVersion(db, caller.tenant_id, id);
  if (!version) throw notFound('Workflow version');
  return version;
}

export async function getShownVersion(db: Db, caller: Caller, id: number) {
  const version = await findShownVersion(db, caller.tenant_id, id);
  if (!version) throw notFound('Workflow version');
  return version;
}

/** The schema of a run's `extra_variables`, as JSON text. */
export async function getVariables(db: Db, caller: Caller, id: number): Promise<string> {
  const json = await findVariables(db, caller.tenant_id, id);
  if (json === undefined) throw notFound('Workflow version');
  return json;
}

/**
 * Replaces a draft's graph.
 *
 * @param ifMatch the ETag the editor started from.
 * @throws DomainError 428 without one or with `*`, 412 when the draft changed since, 409 `not_a_draft`.
 */
export function changeDraft(
  db: Db,
  caller: Caller,
  id: number,
  graph: GraphText,
  ifMatch: string | undefined,
): Promise<ShownVersionRow> {
  return db.transaction(async (tx) => {
    const version = await getVersion(tx, caller, id);
    await requireCreator(tx, caller, version.workflow_id);
    // A draft may be overwritten only if its current version is known, and `*` does not say that.
    if (ifMatch === undefined || ifMatch.trim() === '*') {
      throw new DomainError('precondition_required', "Send If-Match with the version's ETag.");
    }
    if (version.state !== 'draft') {
      throw conflict(
        'not_a_draft',
        `Version ${version.version_number} is ${version.state}; make a new version to change it.`,
      );
    }
    const matches = ifMatch.split(',').some((tag) => tag.trim() === etagOf(version));
    const changed = matches
      ? await updateDraft(tx, caller.tenant_id, id, version.revision, graph)
      : undefined;
    if (!changed) {
      throw new DomainError(
        'precondition_failed',
        'Somebody changed this draft after you opened it. Open it again and repeat your change.',
      );
    }
    return tellOfVersion(tx, caller, changed);
  });
}

export async function validateVersion(db: Db, threads: GraphThreads, caller: Caller, id: number) {
  const { checked } = await graphToCheck(db, caller, id);
  return threads.run(caller.tenant_id, 'check', checked);
}

/**
 * Publishes a draft. What counts is what it does: notes and places that somebody changes meanwhile
 * are published with it.
 *
 * @param logic_hash what the caller has seen; without one, whatever is there.
 * @param published_version_id the published version that the caller has seen, null for none; without
 *   one, this takes the place of any.
 * @throws DomainError 422 with every fault of the graph, 412 if it does something else than
 *   `logic_hash`, 409 `version_archived`, `version_changed`, `other_published`. Idempotent.
 */
export async function publishVersion(
  db: Db,
  threads: GraphThreads,
  caller: Caller,
  id: number,
  { logic_hash, published_version_id }: Publication = {},
): Promise<ShownVersionRow> {
  const version = await getVersion(db, caller, id);
  await requireCreator(db, caller, version.workflow_id);
  requireNotArchived(version);
  if (version.state === 'published') {
    requireSeen(logic_hash, version);
    return getShownVersion(db, caller, id);
  }
  // Checked before the transaction, which would otherwise hold its connection during the check. A
  // draft that does something else by then is not published.
  const found = await graphToCheck(db, caller, id);
  requireSeen(logic_hash, found);
  requireValid(await threads.run(caller.tenant_id, 'check', found.checked));
  const valid = { ...version, logic_hash: found.logic_hash };
  return db.transaction(async (tx) => {
    const workflow = await lockWorkflow(tx, caller.tenant_id, version.workflow_id);
    const published = await setVersionState(tx, caller.tenant_id, valid, 'published');
    if (published) {
      requirePublishedSeen(published_version_id, workflow?.published_version_id);
      return tellOfVersion(tx, caller, published);
    }
    // Another request was faster: published by that one, this is done.
    const other = await getShownVersion(tx, caller, id);
    requireNotArchived(other);
    if (other.state === 'draft' || other.logic_hash !== found.logic_hash) throw changedMeanwhile();
    return other;
  });
}

function requireNotArchived({ state }: Pick<VersionRow, 'state'>) {
  if (state !== 'archived') return;
  throw conflict(
    'version_archived',
    'An archived version cannot be published; make a new version.',
  );
}

const changedMeanwhile = () =>
  conflict('version_changed', 'Somebody changed this draft at the same moment. Open it again.');

function requireSeen(seen: string | undefined, { logic_hash }: Pick<VersionRow, 'logic_hash'>) {
  if (seen === undefined || seen === logic_hash) return;
  throw new DomainError(
    'precondition_failed',
    'This version does something else than the one you have seen. Open it again.',
  );
}

/** @param now what is published, if anything. */
function requirePublishedSeen(seen: number | null | undefined, now: number | undefined) {
  if (seen === undefined || seen === (now ?? null)) return;
  throw conflict(
    'other_published',
    'Somebody has published or archived another version meanwhile. Look at what is published now.',
  );
}

export function archiveVersion(db: Db, caller: Caller, id: number): Promise<ShownVersionRow> {
  return db.transaction(async (tx) => {
    const version = await getVersion(tx, caller, id);
    await requireCreator(tx, caller, version.workflow_id);
    await lockWorkflow(tx, caller.tenant_id, version.workflow_id);
    const archived = await setVersionState(tx, caller.tenant_id, version, 'archived');
    if (!archived) throw changedMeanwhile();
    return tellOfVersion(tx, caller, archived);
  });
}

/**
 * What a client sees, as JSON text. The graph is the database's text: parsing and formatting it
 * again would take a tenth of a second.
 */
export function shownVersion({
  tenant_id: _tenant,
  revision: _revision,
  graph_json,
  variables_json,
  ...version
}: ShownVersionRow): Buffer {
  const head = JSON.stringify(version).slice(0, -1);
  return Buffer.from(`${head},"graph":${graph_json},"variables":${variables_json}}`);
}

/** @throws DomainError 422 with the errors of a graph that cannot run. */
export function requireValid({ errors, more_errors }: CheckedGraph): void {
  if (errors.length === 0) return;
  throw unprocessableFor(
    errors.map(({ code, message, node_key, port }) => ({
      loc: ['graph', ...(node_key ? [node_key] : []), ...(port ? [port] : [])],
      msg: message,
      type: code,
    })),
    more_errors,
  );
}

/**
 * A version's graph and the definitions of its nodes, as JSON text, for a check by a thread; and the
 * hashes of this graph, because the draft may change meanwhile.
 */
export async function graphToCheck(db: Db, caller: Caller, id: number) {
  const graph = await findGraph(db, caller.tenant_id, id);
  if (!graph) throw notFound('Workflow version');
  const { json, graph_hash, logic_hash, definition_ids } = graph;
  const definitions = await definitionsAsJson(db, caller.tenant_id, definition_ids);
  return { checked: { graph: json, definitions }, graph_hash, logic_hash };
}
