/**
 * The grid of a run: a row for each file or lane, with a letter for each node. The node runs of a
 * lane are found by their ids, so a page costs the same whatever the number of lanes.
 */
import { codesOf, type NodeRunStatus, noCell } from '@cogworks/graph/statuses';
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { readCounters } from '../../engine/kernel/counters.ts';
import type { Plan } from '../../engine/kernel/plan.ts';
import type { Counters } from '../../engine/kernel/state.ts';
import { notFound } from '../../errors.ts';
import type { Listed, Page } from '../../pages.ts';
import type { Services } from '../../services.ts';
import { searchable } from '../cogs/places/names.ts';
import { countsByCode, type Group, groupsOf, withCounts } from './grid-groups.ts';
import { type Ground, laneFiles, lanesOfPage, type Place, type Start } from './grid-lanes.ts';
import {
  type Cells,
  countInputFiles,
  findCells,
  findGridRun,
  findLaneNames,
  type GridRun,
} from './grid-queries.ts';
import type { GridRow, RunGrid } from './schema.ts';

export type GridFilter = { status?: NodeRunStatus; q?: string };

/** Of an answer. */
const mostBytes = 256 * 1024;
/** Of the rows, also where a graph has so many nodes that these alone take more. */
const leastBytesOfRows = 64 * 1024;
/** Of a row, without its cells and its name. */
const bytesOfRow = 40;

/**
 * A page of a run's grid. It ends early where its rows are large, or a filter finds little.
 *
 * @throws DomainError 404 if the run is deleted, unknown or another tenant's.
 */
export async function readGrid(
  { db, rounds }: Pick<Services, 'db' | 'rounds'>,
  caller: Caller,
  runId: number,
  { status, q }: GridFilter,
  page: Page,
): Promise<{ head: Omit<RunGrid, 'rows'> } & Listed<GridRow>> {
  const wanted = { status, part: q === undefined ? undefined : searchable(q, 'q') };
  const run = await findGridRun(db, caller.tenant_id, runId);
  if (!run) throw notFound('Workflow run');
  const plan = await rounds.ground.plans.planOf(db, run);
  const counts = readCounters(run.node_counts);
  const groups = await countedGroups(db, run, plan, counts);
  const ground = { db, run, plan, groups, counts };

  const fitting = Math.max(1, Math.floor(mostBytes / (plan.nodes.length + bytesOfRow)));
  const limit = Math.min(page.limit, fitting + 1);
  const { places, next } = await lanesOfPage(ground, startOf(page), limit, wanted);
  const [cells, files] = await Promise.all([cellsOf(ground, places), namesOf(ground, places)]);
  const head = headOf(ground, cells);
  const all = places.map(
    ({ group, lane }, at): GridRow => ({
      ...{ group, shard_index: lane, ...files.get(keyOf({ group, lane })) },
      cells: spread(plan, groups[group] as Group, cells.cells[at] ?? ''),
    }),
  );
  // What has changed since the lanes were found is not wanted any more.
  const rows = status === undefined ? all : all.filter((row) => hasStatus(row, status));
  const { shown, cut } = withinBytes(head, rows);
  const goOn = cut ? { group: cut.group, lane: cut.shard_index, skip: 0 } : next;
  return { head, rows: shown, ...(goOn && { next: [goOn.group, goOn.lane, goOn.skip] }) };
}

function startOf({ after, offset }: Page): Start {
  const [group = 0, lane = 0, skip = offset] = (after ?? []) as number[];
  return { group, lane, skip };
}

/** Inputs that no node is mapped over have rows too. Their files are counted. */
async function countedGroups(db: Db, run: GridRun, plan: Plan, counts: readonly Counters[]) {
  const groups = groupsOf(plan);
  const unmapped = groups.flatMap(({ files, members }) =>
    'input' in files && members.length === 0 ? [files.input] : [],
  );
  if (unmapped.length === 0) return withCounts(groups, counts);
  const found = await countInputFiles(db, run, unmapped);
  const countOf = new Map(found.map(({ input, count }) => [input, count]));
  return withCounts(
    groups.map((group) => ({
      ...group,
      count: 'input' in group.files ? countOf.get(group.files.input) : undefined,
    })),
    counts,
  );
}

const cellsOf = ({ db, run, groups }: Ground, places: readonly Place[]) =>
  findCells(
    db,
    run,
    groups.flatMap(({ members }, group) =>
      members.map(({ position }) => ({ group, first_id: run.first_ids[position] as number })),
    ),
    places,
  );

const keyOf = ({ group, lane }: Place) => `${group}/${lane}`;

async function namesOf({ db, run, plan, groups }: Ground, places: readonly Place[]) {
  const names = new Map<string, { cog_id?: number; name: string }>();
  for (const [group, of] of Map.groupBy(places, (place) => place.group)) {
    const files = laneFiles(run, plan, groups[group] as Group);
    const lanes = of.map(({ lane }) => lane);
    for (const { position, ...file } of await findLaneNames(db, run, files, lanes)) {
      names.set(keyOf({ group, lane: position }), file);
    }
  }
  return names;
}

/** Nodes and groups at the moment of the cells. */
function headOf({ plan, groups }: Ground, { node_counts, waiting_ended_as }: Cells) {
  const counters = readCounters(node_counts);
  const groupOf = new Map(
    groups.flatMap(({ members }, group) => members.map(({ key }) => [key, group])),
  );
  return {
    nodes: plan.nodes.map(({ key, position }) => {
      const counts = countsByCode(counters[position] as Counters, waiting_ended_as);
      const group = groupOf.get(key);
      const [cell = noCell] = Object.keys(counts);
      return { node_key: key, ...(group === undefined ? { cell } : { group }), counts };
    }),
    groups: withCounts(groups, counters).map(({ files, count }) => ({
      ...files,
      ...(count === undefined ? {} : { count }),
    })),
  };
}

/** The cells of a group's nodes as those of all nodes. */
function spread({ nodes }: Plan, { members }: Group, cells: string): string {
  const all = Array.from(nodes, () => noCell as string);
  for (const [at, { position }] of members.entries()) all[position] = cells[at] ?? noCell;
  return all.join('');
}

const hasStatus = ({ cells }: GridRow, status: NodeRunStatus) =>
  codesOf[status].some((code) => cells.includes(code));

/** The first rows that fit into an answer, at least one, and the first that does not. */
function withinBytes(head: object, rows: GridRow[]): { shown: GridRow[]; cut?: GridRow } {
  const sizeOf = (value: object) => Buffer.byteLength(JSON.stringify(value)) + 1;
  let left = Math.max(leastBytesOfRows, mostBytes - sizeOf(head) - sizeOf({ rows: [] }));
  const at = rows.findIndex((row, index) => {
    left -= sizeOf(row);
    return left < 0 && index > 0;
  });
  const cut = rows[at];
  return cut ? { shown: rows.slice(0, at), cut } : { shown: rows };
}
