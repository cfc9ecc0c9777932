/** Which files a node run receives: of mapped inputs only those of its lane. Pure. */
import type { Plan, PlannedEdge, PlannedNode } from '../kernel/plan.ts';
import type { RunState } from '../kernel/state.ts';

/** The files that an edge brings, by where they are stored. */
export type WantedFiles = {
  port: string;
  cardinality: PlannedEdge['cardinality'];
  /** Whether the edge brings the lane's own file. */
  is_of_lane: boolean;
} & (
  | { from: 'input'; input: string; lane: number | undefined }
  /** Outputs of these node runs, in order. `place`: only the file at that position of the port. */
  | { from: 'outputs'; ids: IdsOfLanes; output: string; place: number | undefined }
);

/**
 * A position among the files that edges bring: the edge, the node run (0 for an input of the graph)
 * and the position of the file.
 */
export type InputPlace = { edge: number; node_run_id: number; position: number };

/**
 * The position as text, a cursor for workers. Whatever a worker sends back, only files of its own
 * attempt are read from there on.
 */
export const placeAsText = ({ edge, node_run_id, position }: InputPlace): string =>
  `${edge}.${node_run_id}.${position}`;

/** @returns undefined if the text is not a valid cursor. */
export function placeOfText(text: string): InputPlace | undefined {
  const parts = /^(\d{1,9})\.(\d{1,15})\.(\d{1,9})$/.exec(text);
  if (!parts) return undefined;
  const [edge = 0, node_run_id = 0, position = 0] = parts.slice(1).map(Number);
  return { edge, node_run_id, position };
}

/** Node runs of one node: `count` consecutive ids, starting at `first`. */
export type IdsOfLanes = { first: number; count: number };

/** What every edge brings to one node run, in the graph's order of edges. */
export function wantedFiles(
  { plan, ...state }: Pick<RunState, 'plan' | 'firstIds' | 'counts'>,
  node: PlannedNode,
  lane: number | undefined,
): WantedFiles[] {
  return inGraphOrder(plan, node).map(({ edge, role, cardinality, source }): WantedFiles => {
    const shared = {
      port: edge.to.port,
      cardinality,
      is_of_lane: role === 'lane_source' || role === 'same_lane',
    };
    const ofLane = role === 'lane_source' ? lane : undefined;
    if ('input' in edge.from) {
      return { ...shared, from: 'input', input: edge.from.input, lane: ofLane };
    }
    const position = source as number;
    const first = state.firstIds[position] as number;
    const ids =
      role === 'same_lane'
        ? { first: first + (lane ?? 0), count: 1 }
        : { first, count: role === 'gather' ? (state.counts[position]?.expected ?? 0) : 1 };
    return { ...shared, from: 'outputs', ids, output: edge.from.port, place: ofLane };
  });
}

/** Edges in the graph's order, so that the order of gathered files is stable. */
function inGraphOrder({ graph }: Plan, { incoming }: PlannedNode): PlannedEdge[] {
  const places = new Map(incoming.map((planned) => [planned, graph.edges.indexOf(planned.edge)]));
  return incoming.toSorted((a, b) => (places.get(a) as number) - (places.get(b) as number));
}
