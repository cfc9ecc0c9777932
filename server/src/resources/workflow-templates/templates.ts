/** Workflow templates: graphs that a workflow can begin with. */
import type { Graph } from '@cogworks/graph/types';
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { plannedAnew } from '../../db/planned-anew.ts';
import { badField, forbidden, notFound } from '../../errors.ts';
import { wantImages } from '../../images/images.ts';
import type { Page } from '../../pages.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { definitionsAsJson, definitionsOf } from '../node_definitions/node_definitions.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import type { GraphText } from '../workflows/graph-work.ts';
import type { Workflow } from '../workflows/schema.ts';
import { getShownVersion, graphTextOf, requireValid } from '../workflows/versions.ts';
import { createWorkflow } from '../workflows/workflows.ts';
import {
  addTemplate,
  countTemplates,
  findTemplate,
  findTemplates,
  removeTemplate,
  type TemplateRow,
} from './queries.ts';
import { platformImagesOf, requirementsOf } from './requirements.ts';
import type { Instantiation, NewTemplate, Sample, Template } from './schema.ts';
import { readSample } from './shipped/samples.ts';
import { shippedTemplates } from './shipped/templates.ts';

/**
 * Checks the graph before any transaction begins.
 *
 * @returns a function that adds the template.
 * @throws DomainError 422 for a graph that could not be published, 403 for one of the platform
 *   unless the caller is its administrator, 404 for a version.
 */
export async function prepareTemplate(
  db: Db,
  threads: GraphThreads,
  caller: Caller,
  { name, description = '', category = '', scope = 'tenant', ...given }: Omit<NewTemplate, 'graph'>,
  graph: GraphText | undefined,
): Promise<(tx: Db) => Promise<Template>> {
  if (scope === 'platform' && !caller.is_platform_admin)
    throw forbidden('Only platform administrators may add templates for all.');
  const text = graph ?? (await graphOfVersion(db, caller, given.workflow_version_id));
  const ids = idsIn(JSON.parse(text.text));
  const definitions = await definitionsAsJson(db, caller.tenant_id, ids);
  requireValid(await threads.run(caller.tenant_id, 'check', { graph: text.text, definitions }));
  if (scope === 'platform') await requirePlatformNodes(db, caller, ids);
  return async (tx) => {
    const row = await addTemplate(tx, {
      tenant_id: scope === 'platform' ? null : caller.tenant_id,
      ...{ name, description, category, created_by: caller.user_id, graph: text },
    });
    await recordEvent(tx, caller, eventOf('created', row));
    return shown(tx, caller, row);
  };
}

export async function listTemplates(
  db: Db,
  { tenant_id }: Caller,
  filter: { category?: string; q?: string },
  page: Page,
) {
  const list = async (by: Db) => {
    const found = await findTemplates(by, tenant_id, filter, page);
    const rows = found.map(withSamples);
    return page.with_total
      ? { rows, total: await countTemplates(by, tenant_id, filter) }
      : { rows };
  };
  return filter.q === undefined ? list(db) : plannedAnew(db, list);
}

/** A sample of a template. @throws DomainError 404 */
export async function getSample(db: Db, caller: Caller, id: number, name: string) {
  const { samples = [] } = withSamples(await requireTemplate(db, caller, id));
  const sample = samples.find((one) => one.name === name);
  if (!sample) throw notFound('Sample');
  return { ...sample, bytes: await readSample(sample) };
}

/** With what it needs. */
export async function getTemplate(db: Db, caller: Caller, id: number): Promise<Template> {
  return shown(db, caller, await requireTemplate(db, caller, id));
}

/** Workflows that were made of it stay. @throws DomainError 403, 404 */
export function deleteTemplate(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const template = await requireTemplate(tx, caller, id);
    const isOwn =
      template.scope === 'platform'
        ? caller.is_platform_admin
        : caller.role === 'admin' || template.created_by === caller.user_id;
    if (template.is_shipped)
      throw forbidden('This template comes with the release, and cannot be deleted.');
    if (!isOwn)
      throw forbidden('Only whoever made this template, or an administrator, may delete it.');
    await removeTemplate(tx, id);
    await recordEvent(tx, caller, eventOf('deleted', template));
  });
}

/** Makes a workflow whose first draft has the graph of the template; its images begin to be made. */
export async function instantiate(
  db: Db,
  caller: Caller,
  id: number,
  { name, description }: Instantiation,
): Promise<Workflow> {
  const template = await requireTemplate(db, caller, id);
  const settings = { name, description: description ?? template.description };
  const { graph_json: text, graph_hash: hash, logic_hash } = template;
  const graph = { text, hash, logic_hash };
  const definitions = await definitionsOf(db, caller.tenant_id, idsIn(JSON.parse(graph.text)));
  await wantImages(db, platformImagesOf(definitions));
  return createWorkflow(db, caller, settings, graph);
}

async function graphOfVersion(
  db: Db,
  caller: Caller,
  versionId: number | undefined,
): Promise<GraphText> {
  if (versionId === undefined)
    throw badField('graph', 'Give a graph, or the version that has it.', 'missing');
  return graphTextOf(await getShownVersion(db, caller, versionId));
}

/** A node definition of one tenant would tell the others of it, and not run for them. */
async function requirePlatformNodes(db: Db, { tenant_id }: Caller, ids: number[]): Promise<void> {
  const definitions = await definitionsOf(db, tenant_id, ids);
  const own = [...definitions.values()].filter(({ scope }) => scope !== 'platform');
  if (own.length === 0) return;
  const names = own.map(({ name }) => name).join(', ');
  throw badField('graph', `Only node definitions of the platform can be in it, not ${names}.`);
}

async function requireTemplate(db: Db, { tenant_id }: Caller, id: number): Promise<TemplateRow> {
  const template = await findTemplate(db, tenant_id, id);
  if (!template) throw notFound('Template');
  return template;
}

async function shown(
  db: Db,
  { tenant_id }: Caller,
  { graph_json, graph_hash: _, logic_hash: __, ...row }: TemplateRow,
): Promise<Template> {
  const graph: Graph = JSON.parse(graph_json);
  const definitions = await definitionsOf(db, tenant_id, idsIn(graph));
  const requirements = await requirementsOf(db, tenant_id, graph, definitions);
  return { ...withSamples(row), graph, requirements };
}

/** Samples come with the release, like the template. */
function withSamples<Row extends { shipped_as?: string }>({
  shipped_as,
  ...row
}: Row): Omit<Row, 'shipped_as'> & { samples?: Sample[] } {
  const samples = shippedTemplates.find(({ key }) => key === shipped_as)?.samples;
  return samples ? { ...row, samples: [...samples] } : row;
}

const idsIn = ({ nodes }: Graph) => nodes.map((node) => node.node_definition_id);

const eventOf = (what: 'created' | 'deleted', { id, name }: TemplateRow) => ({
  action: `workflow_template.${what}`,
  target_type: 'workflow_template',
  target_id: id,
  details: { name },
});
