/**
 * Which lanes are the rows of a page of a run's grid. Without a filter that is a matter of numbers.
 * With one, a request examines a limited number of node runs, and the next goes on from there.
 */
import { codesOf, type NodeRunStatus } from '@cogworks/graph/statuses';
import type { Db } from '../../db/connection.ts';
import type { Plan } from '../../engine/kernel/plan.ts';
import type { Counters } from '../../engine/kernel/state.ts';
import { codeOfWaiting, countsByCode, type Group } from './grid-groups.ts';
import { findLanes, type GridRun, type LaneFiles } from './grid-queries.ts';

/** Node runs that a request with a filter examines: some 50 ms. */
const mostExamined = 100_000;
/** What a name costs, in node runs. */
const costOfName = 2;

/** The run as it was when the request came. */
export type Ground = {
  db: Db;
  run: GridRun;
  plan: Plan;
  groups: readonly Group[];
  counts: readonly Counters[];
};

/** Rows with a node run of this status, and with this text in the name of their file. */
export type LanesWanted = { status: NodeRunStatus | undefined; part: string | undefined };

export type Place = { group: number; lane: number };

/** From which lane on a page is looked for, and how many of its lanes are left out. */
export type Start = Place & { skip: number };

/**
 * The lanes of a page, in order.
 *
 * @param limit how many, and one more: with that, if there is one, the next page begins.
 */
export async function lanesOfPage(
  ground: Ground,
  start: Start,
  limit: number,
  wanted: LanesWanted,
): Promise<{ places: Place[]; next?: Start }> {
  const places: Place[] = [];
  let { group, lane, skip } = start;
  let budget = mostExamined;
  while (places.length < limit) {
    const of = ground.groups[group];
    if (!of) return { places };
    if (lane >= (of.count ?? 0)) {
      group += 1;
      lane = 0;
      continue;
    }
    if (budget <= 0) return { places, next: { group, lane, skip } };
    const looking = { lane, skip, most: limit - places.length, budget };
    const found = await look(ground, of, looking, wanted);
    for (const one of found.lanes) places.push({ group, lane: one });
    ({ lane, skip } = found);
    budget -= found.cost;
  }
  return { places: places.slice(0, -1), next: { ...(places.at(-1) as Place), skip: 0 } };
}

type Looking = { lane: number; skip: number; most: number; budget: number };
/** `lane` and `skip`: how the rest is to be looked for. */
type Found = { lanes: number[]; lane: number; skip: number; cost: number };

/** Looks for lanes of one group, as far as the budget reaches. */
function look(
  ground: Ground,
  group: Group,
  looking: Looking,
  { status, part }: LanesWanted,
): Found | Promise<Found> {
  const { run, plan } = ground;
  const count = group.count ?? 0;
  const name = part === undefined ? undefined : { part, files: laneFiles(run, plan, group) };
  if (status === undefined) {
    return name
      ? search(ground, count, looking, { filter: { status, name }, cost: costOfName })
      : byNumber(count, looking);
  }
  const nodes = nodesWith(ground, group, status);
  if (nodes.length === 0) return { ...looking, lanes: [], lane: count, cost: 0 };
  const is = {
    is: status,
    waits: codesOf[status].includes(codeOfWaiting(run.waiting_ended_as)),
    first_ids: nodes.map(({ position }) => run.first_ids[position] as number),
  };
  const cost = nodes.length + (name ? costOfName : 0);
  return search(ground, count, looking, { filter: { status: is, name }, cost });
}

/** Without a filter. */
function byNumber(count: number, { lane, skip, most }: Looking): Found {
  const first = Math.min(lane + skip, count);
  const lanes = Array.from({ length: Math.min(most, count - first) }, (_, at) => first + at);
  return { lanes, lane: first + lanes.length, skip: skip - (first - lane), cost: 0 };
}

async function search(
  { db, run }: Ground,
  count: number,
  { lane, skip, most, budget }: Looking,
  { filter, cost }: { filter: Parameters<typeof findLanes>[2]; cost: number },
): Promise<Found> {
  const end = Math.min(count, lane + Math.max(1, Math.floor(budget / cost)));
  const upTo = { first: lane, last: end - 1, most: skip + most };
  const found = await findLanes(db, run, filter, upTo);
  const last = found.length === upTo.most ? found.at(-1) : undefined;
  return {
    lanes: found.slice(skip),
    lane: last === undefined ? end : last + 1,
    skip: Math.max(0, skip - found.length),
    cost: cost * (end - lane),
  };
}

/** The nodes of a group that have a node run of this status. */
const nodesWith = ({ run, counts }: Ground, { members }: Group, status: NodeRunStatus) =>
  members.filter(({ position }) => {
    const found = countsByCode(counts[position] as Counters, run.waiting_ended_as);
    return codesOf[status].some((code) => found[code] !== undefined);
  });

/** Where the names of a group's lanes are. */
export const laneFiles = (run: GridRun, plan: Plan, { files }: Group): LaneFiles =>
  'input' in files
    ? files
    : {
        node_run_id: run.first_ids[plan.byKey.get(files.node_key)?.position ?? -1] ?? 0,
        port: files.port,
      };
