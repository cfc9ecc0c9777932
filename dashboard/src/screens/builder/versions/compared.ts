/** Two versions as one drawing: what is in both, what is new, and what was taken away. Pure. */
import { type Change, edgeId } from '@cogworks/graph/edit/changes';
import type { Told } from '@cogworks/graph/edit/words';
import type { Definitions, Graph, GraphEdge } from '@cogworks/graph/types';
import { plural, t } from '@lingui/core/macro';
import type { ViewEdge, ViewNode } from '../../../ui/graph-view.tsx';
import { whatChanged } from '../../../versions/told.ts';

export type Compared = {
  nodes: ViewNode[];
  edges: ViewEdge[];
  /** What changed, what was only drawn in another way last. */
  told: Told[];
};

export function compare(
  before: Graph,
  after: Graph,
  changes: readonly Change[],
  definitions: Definitions,
): Compared {
  const told = whatChanged(before, after, changes, definitions);
  const byNode = Map.groupBy(
    told.filter(({ list }) => list === 'nodes'),
    ({ id }) => id,
  );
  const nodes = [...before.nodes, ...after.nodes].map(({ key, title }): ViewNode => {
    const look = lookOf(byNode.get(key) ?? []);
    return { key: nodeKey(key), title: title || key, ...look };
  });
  const inputs = [...before.inputs, ...after.inputs].map(
    ({ name }): ViewNode => ({ key: inputKey(name), title: name, isInput: true }),
  );
  return {
    nodes: [...new Map([...inputs, ...nodes].map((node) => [node.key, node])).values()],
    edges: edgesOf(before, after),
    told,
  };
}

const nodeKey = (key: string) => `node:${key}`;
const inputKey = (name: string) => `input:${name}`;

/** A sign and a word beside the colour. */
function lookOf(told: readonly Told[]): Partial<ViewNode> {
  const marks = told.map(({ mark }) => mark);
  if (marks.includes('added')) return { note: t`+ Added`, status: 'success' };
  if (marks.includes('removed')) return { note: t`− Removed`, status: 'failure', isGhost: true };
  const changed = marks.filter((mark) => mark === 'changed').length;
  if (changed > 0) {
    const note = plural(changed, { one: '✎ Changed', other: '✎ # changes' });
    return { note, status: 'running' };
  }
  const [first, second] = told.map(({ words }) => words.split(' ')[0]);
  if (first === undefined) return { note: t`Unchanged` };
  if (second === undefined) return { note: first };
  const other = second.toLowerCase();
  return { note: t`${first} and ${other}` };
}

function edgesOf(before: Graph, after: Graph): ViewEdge[] {
  const [was, is] = [before, after].map(({ edges }) => new Set(edges.map(edgeId)));
  const marked = [...before.edges, ...after.edges].map((edge) => {
    const id = edgeId(edge);
    const mark = is?.has(id) ? (was?.has(id) ? undefined : 'added') : 'removed';
    return { ...endsOf(edge), mark } satisfies ViewEdge;
  });
  // A line stands for all wires between two nodes; one that is still there counts more.
  const rank = ({ mark }: ViewEdge) => ['removed', 'added', undefined].indexOf(mark);
  const lines = marked.toSorted((a, b) => rank(a) - rank(b));
  return [...new Map(lines.map((line) => [`${line.from} ${line.to}`, line])).values()];
}

const endsOf = ({ from, to }: GraphEdge) => ({
  from: 'node' in from ? nodeKey(from.node) : inputKey(from.input),
  to: nodeKey(to.node),
});

/** The node of the drawing that an entry of the list is about. */
export function nodeOf({ list, id }: Told, edges: ReadonlyMap<string, GraphEdge>) {
  if (list === 'nodes') return nodeKey(id);
  if (list === 'inputs') return inputKey(id);
  const edge = list === 'edges' ? edges.get(id) : undefined;
  return edge && nodeKey(edge.to.node);
}
