/** From which input files of a run its nodes make their outputs. Pure. */
import type { Plan, PlannedNode } from '../../../engine/kernel/plan.ts';
import type { Counters } from '../../../engine/kernel/state.ts';

/** How the files of an input of the graph lead to a node. */
export type Ways = {
  /** To each lane the file of that lane. */
  lane: boolean;
  /** All files, as they are or through nodes that run once. */
  all: boolean;
  /** By these nodes' lanes, which another gathers: those that succeeded. Empty if `all`. */
  gathered: ReadonlySet<number>;
};

/** For the node at each position: the inputs of the graph that lead to it. */
export type Sources = readonly ReadonlyMap<string, Ways>[];

/** @param wanted only these inputs: a graph may have 100 of them and 20,000 edges. */
export function sourcesOf({ nodes }: Pick<Plan, 'nodes'>, wanted?: ReadonlySet<string>): Sources {
  const sources: Map<string, Ways>[] = [];
  for (const { incoming } of nodes) {
    const found = new Map<string, Ways>();
    const add = (input: string, ways: Ways) =>
      void found.set(input, together(found.get(input) ?? nothing, ways));
    for (const { edge, role, source = -1 } of incoming) {
      if ('input' in edge.from) {
        if (wanted?.has(edge.from.input) === false) continue;
        const lane = role === 'lane_source';
        add(edge.from.input, { ...nothing, lane, all: !lane });
      } else
        for (const [input, ways] of sources[source] ?? [])
          add(input, role === 'gather' && ways.lane ? gatheredFrom(source, ways) : ways);
    }
    sources.push(found);
  }
  return sources;
}

const nothing: Ways = { lane: false, all: false, gathered: new Set() };

/** With more nodes that are gathered, all lanes count as successful. */
const mostGathered = 20;

/** What is the same for many nodes is one object: merging creates few. */
function together(one: Ways, other: Ways): Ways {
  if (covers(one, other)) return one;
  if (covers(other, one)) return other;
  return limited({
    lane: one.lane || other.lane,
    all: one.all || other.all,
    gathered: new Set([...one.gathered, ...other.gathered]),
  });
}

const covers = (one: Ways, other: Ways) =>
  one === other ||
  ((one.lane || !other.lane) &&
    (one.all || (!other.all && [...other.gathered].every((source) => one.gathered.has(source)))));

const limited = (ways: Ways): Ways =>
  ways.all || ways.gathered.size > mostGathered ? { ...nothing, lane: ways.lane, all: true } : ways;

const gatheredFrom = (source: number, { all, gathered }: Ways): Ways =>
  limited({ lane: false, all, gathered: new Set([...gathered, source]) });

const isOfLaneAlone = ({ all, gathered }: Ways) => !all && gathered.size === 0;

/** Consecutive positions among the files of an input. */
export type InputRange = { input_name: string; first: number; last: number };

/** A position above all others. */
const lastPosition = 2 ** 31 - 1;

/** The input files that lead to a node run of this node. */
export const inputsOf = (sources: Sources, node: PlannedNode, lane: number): InputRange[] =>
  [...(sources[node.position] ?? [])].map(([input_name, ways]) =>
    isOfLaneAlone(ways)
      ? { input_name, first: lane, last: lane }
      : { input_name, first: 0, last: lastPosition },
  );

/**
 * The node runs of which one must have succeeded for the file to be in what the ways lead to;
 * undefined if none need have.
 *
 * @param own the lane that is asked about, if it has one.
 */
export function neededOf(
  { lane, all, gathered }: Ways,
  first_ids: readonly number[],
  position: number,
  own?: number,
): number[] | undefined {
  if (all || (lane && position === own)) return undefined;
  return [...gathered].flatMap((source) => {
    const first = first_ids[source] ?? 0;
    return first === 0 ? [] : [first + position];
  });
}

/** Consecutive ids of node runs; with `needed` only if one of those succeeded. */
export type NodeRunRange = { first: number; last: number; needed?: number[] };

/** The node runs whose outputs are results made from this input file of the run. */
export function madeFrom(
  plan: Plan,
  sources: Sources,
  { first_ids, counts }: { first_ids: readonly number[]; counts: readonly Counters[] },
  { input_name, position: lane }: { input_name: string; position: number },
): NodeRunRange[] {
  return plan.nodes.flatMap(({ leaf, position }): NodeRunRange[] => {
    const ways = sources[position]?.get(input_name);
    const first = first_ids[position] ?? 0;
    const { expected, success = 0 } = counts[position] ?? {};
    if (!leaf || !ways || first === 0 || !expected || success === 0) return [];
    const own = { first: first + lane, last: first + lane };
    if (isOfLaneAlone(ways)) return [own];
    const needed = neededOf(ways, first_ids, lane);
    const whole = { first, last: first + expected - 1 };
    if (needed === undefined) return [whole];
    // The file of a lane is in the results of that lane, whatever became of the others.
    if (!ways.lane) return [{ ...whole, needed }];
    return [
      own,
      { first, last: own.first - 1, needed },
      { first: own.last + 1, last: whole.last, needed },
    ];
  });
}
