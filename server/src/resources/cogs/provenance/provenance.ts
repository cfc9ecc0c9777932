/**
 * How a file was made: the run behind its bytes, also of a copy, and the files that went in. What
 * was made from it is in uses.ts.
 */
import { parseImage } from '@cogworks/graph/image-reference';
import { isSecret, isSecretParam } from '@cogworks/graph/params';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { type PlannedNode, paramsOf } from '../../../engine/kernel/plan.ts';
import { notFound } from '../../../errors.ts';
import type { Listed, Page } from '../../../pages.ts';
import type { Services } from '../../../services.ts';
import { reach } from '../../permissions/access.ts';
import { requireFileOf } from '../versions/new-versions.ts';
import { findSuccessful } from './lane-queries.ts';
import { hiddenIn, placesOf, shownFile, stateOf } from './places.ts';
import {
  type ContentRow,
  findContent,
  findInputs,
  findMaker,
  type InputRow,
  type MakerRow,
} from './queries.ts';
import type { MadeBy, Provenance, ProvenanceInput } from './schema.ts';
import { inputsOf, neededOf, type Sources, sourcesOf } from './sources.ts';
import { listUses, runOf } from './uses.ts';

type Parts = Pick<Services, 'db' | 'rounds'>;

/** Rows of each list that are included. */
const inlineInputs = 100;
const inlineUses = 20;

/** @throws DomainError 404 also for a version that is gone, 403, 400 for a folder. */
export async function getProvenance(
  services: Parts,
  caller: Caller,
  id: number,
  version: number | undefined,
): Promise<Provenance> {
  const content = await requireContent(services.db, caller, id, version);
  const making = await makingOf(services, caller, content);
  const inputsPage = { offset: 0, limit: inlineInputs, with_total: true };
  const [inputs, uses, copied_from] = await Promise.all([
    making ? inputsOfMaking(services.db, caller, making, inputsPage) : undefined,
    listUses(services, caller, id, { offset: 0, limit: inlineUses + 1, with_total: false }),
    copiedFrom(services.db, caller, content),
  ]);
  const { is_current, stored_by, stored_at, restored_from } = content;
  const used_in = uses.rows.slice(0, inlineUses);
  return {
    ...{ cog_id: id, version: content.version, is_current, origin: originOf(id, content) },
    ...{ stored_by, stored_at },
    ...(copied_from && { copied_from }),
    ...(restored_from !== undefined && { restored_from }),
    ...(making && { made_by: madeBy(making) }),
    inputs: inputs?.rows ?? [],
    inputs_total: inputs?.total ?? 0,
    inputs_hidden: hiddenIn(inputs?.rows ?? []),
    used_in,
    more_used_in: uses.rows.length > used_in.length,
  };
}

/** All input files that a content was made from. @throws DomainError like `getProvenance`. */
export async function listInputs(
  services: Parts,
  caller: Caller,
  id: number,
  version: number | undefined,
  page: Page,
): Promise<Listed<ProvenanceInput>> {
  const content = await requireContent(services.db, caller, id, version);
  const making = await makingOf(services, caller, content);
  if (!making) return { rows: [], ...(page.with_total && { total: 0 }) };
  return inputsOfMaking(services.db, caller, making, page);
}

async function requireContent(
  db: Db,
  caller: Caller,
  id: number,
  version: number | undefined,
): Promise<ContentRow> {
  const [cog] = await reach(db, caller, [id]);
  requireFileOf(cog, 'view');
  const content = await findContent(db, caller.tenant_id, id, version);
  if (!content) throw notFound('Version');
  return content;
}

/** A run whose result has the same bytes as a file has them of another file, unless it is the file itself. */
function originOf(id: number, content: ContentRow): Provenance['origin'] {
  if (content.restored_from !== undefined) return 'restored';
  if (content.copied_from !== undefined) return 'copied';
  if (content.made_cog_id === id) return 'run';
  return content.made_cog_id !== undefined || content.is_shared ? 'copied' : 'uploaded';
}

/** The file that was copied, if that is known, as far as the caller may know it. */
async function copiedFrom(
  db: Db,
  caller: Caller,
  { copied_from: cog_id, copied_from_version: version }: ContentRow,
): Promise<Provenance['copied_from']> {
  if (cog_id === undefined || version === undefined) return undefined;
  const place = (await placesOf(db, caller, [cog_id])).get(cog_id);
  const state = stateOf(caller, place, caller.role === 'admin');
  if (state === 'hidden') return { state };
  return { state, cog_id, version, ...(place && { current_name: place.name }) };
}

type Making = {
  run: MakerRow;
  node: PlannedNode;
  node_run_id: number;
  lane: number;
  sources: Sources;
};

async function makingOf(
  { db, rounds }: Parts,
  { tenant_id }: Caller,
  { run_id, node_run_id, node_key = '' }: ContentRow,
): Promise<Making | undefined> {
  if (run_id === undefined || node_run_id === undefined) return undefined;
  const run = await findMaker(db, tenant_id, run_id, node_run_id);
  if (!run) return undefined;
  const plan = await rounds.ground.plans.planOf(db, run);
  const node = plan.byKey.get(node_key);
  if (!node) return undefined;
  const lane = node_run_id - (run.first_ids[node.position] ?? node_run_id);
  return { run, node, node_run_id, lane, sources: sourcesOf(plan) };
}

function madeBy({ run, node, node_run_id }: Making): MadeBy {
  const { definition } = node;
  const digest = definition.digest ?? parseImage(definition.image)?.digest ?? undefined;
  const { restarted_from_run_id, shard_index, is_version_changed } = run;
  const computed_in_run_id = run.computed_in_run_id ?? run.workflow_run_id;
  return {
    ...runOf(run),
    ...(restarted_from_run_id !== undefined && { restarted_from_run_id }),
    ...(is_version_changed !== undefined && { is_version_changed }),
    ...{ node_run_id, node_key: node.key, node_title: node.node.title ?? node.key },
    ...(shard_index !== undefined && { shard_index }),
    cached: computed_in_run_id !== run.workflow_run_id,
    computed_in_run_id,
    node_definition_id: definition.id,
    node_definition_name: definition.name,
    node_definition_version: definition.version,
    image: definition.image,
    ...(digest !== undefined && { digest }),
    params: shownParams(node, run.extra_variables),
    variables: withoutNulls(run.extra_variables),
  };
}

/** Checks refuse a secret param with a value in it; one that came past them is not shown. */
const shownParams = (node: PlannedNode, variables: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(paramsOf(node, variables)).filter(
      ([name, value]) => isSecret(value) || !isSecretParam(node.definition.params, name),
    ),
  );

/** A variable without a value is stored as null, but given by leaving it out. */
const withoutNulls = (variables: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== null));

async function inputsOfMaking(
  db: Db,
  caller: Caller,
  making: Making,
  page: Page,
): Promise<Listed<ProvenanceInput>> {
  const { run, node, lane, sources } = making;
  const name = { tenant_id: run.tenant_id, id: run.workflow_run_id };
  const { rows, ...rest } = await findInputs(db, name, inputsOf(sources, node, lane), page);
  const ids = rows.map(({ cog_id }) => cog_id);
  const [places, contributes] = await Promise.all([
    placesOf(db, caller, ids),
    contributing(db, making, rows),
  ]);
  const shown = rows.map((row): ProvenanceInput => {
    const { input_name, position } = row;
    const file = shownFile(caller, run, row, places);
    if (file.state === 'hidden') return { input_name, position, state: file.state };
    return {
      input_name,
      position,
      ...file,
      contributed: contributes(row),
      ...versionsOf(row, file.state, places.get(row.cog_id)),
    };
  });
  return { rows: shown, ...rest };
}

/** Tells which of these inputs something in the content is made of: not those whose lane ended before. */
async function contributing(
  db: Db,
  { run, node, lane, sources }: Making,
  rows: readonly InputRow[],
): Promise<(row: InputRow) => boolean> {
  const needed = new Map(
    rows.map((row) => {
      const ways = sources[node.position]?.get(row.input_name);
      return [row, ways && neededOf(ways, run.first_ids, row.position, lane)];
    }),
  );
  const ids = [...needed.values()].flatMap((some) => some ?? []);
  const successful = await findSuccessful(db, run.tenant_id, ids);
  return (row) => needed.get(row)?.some((id) => successful.has(id)) ?? true;
}

function versionsOf(
  { version, is_stored }: InputRow,
  state: ProvenanceInput['state'],
  place: { version?: number } | undefined,
) {
  const current = state === 'available' ? place?.version : undefined;
  return {
    ...(version !== undefined && { version }),
    ...(current !== undefined && { current_version: current }),
    is_stored,
  };
}
