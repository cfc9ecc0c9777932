/** The rows of the list: each step with what it takes, how often it runs, and what is wrong. Pure. */
import { laneDomains } from '@cogworks/graph/lanes';
import { topologicalOrder } from '@cogworks/graph/order';
import type { Definitions, Fault, Graph } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { faultCounts } from '../faults/places.ts';
import { shortTypes } from '../media-words.ts';
import { framesOfSteps } from '../notes/frames.ts';
import { listed, timesWords, titlesOf } from '../step-words.ts';

export type OutlineRow = {
  key: string;
  title: string;
  /** The title of its definition, if the step is called otherwise. */
  kind: string;
  /** "takes PDF from Split" */
  takes: string;
  /** "runs once for each file of scans" */
  times: string;
  isMapped: boolean;
  hasCondition: boolean;
  /** "in the frame Reading"; empty outside of all frames. */
  frames: string;
  /** How many faults keep the workflow from being published. */
  faults: number;
};

type Named = ReadonlyMap<number, string>;

/** In the order of the work. */
export function rowsOf(
  graph: Graph,
  definitions: Definitions,
  faults: readonly Fault[],
  names: Named,
): OutlineRow[] {
  const titles = titlesOf(graph);
  const domains = laneDomains(graph, definitions);
  const nodes = new Map(graph.nodes.map((node) => [node.key, node]));
  const incoming = Map.groupBy(graph.edges, ({ to }) => to.node);
  const counts = faultCounts(faults, graph);
  const frames = framesOfSteps(graph);
  return topologicalOrder(graph).flatMap((key) => {
    const node = nodes.get(key);
    if (!node) return [];
    const definition = definitions.get(node.node_definition_id);
    const title = titles.get(key) ?? key;
    const kind = names.get(node.node_definition_id) ?? definition?.name ?? t`Not in the catalogue`;
    const sources = (incoming.get(key) ?? []).map(({ from, to }) => {
      const port = definition?.inputs.find(({ name }) => name === to.port);
      const types = shortTypes(port?.media_types);
      const source = 'node' in from ? (titles.get(from.node) ?? from.node) : from.input;
      return t`${types} from ${source}`;
    });
    return [
      {
        key,
        title,
        kind: kind === title ? '' : kind,
        takes: sources.length > 0 ? takesWords(sources) : takesNothing(definition),
        times: timesWords(node, domains.get(key), titles),
        isMapped: node.map === true,
        hasCondition: node.when !== undefined && node.when !== '',
        frames: framesWords(frames.get(key) ?? []),
        faults: counts.get(`node:${key}`) ?? 0,
      },
    ];
  });
}

function takesWords(sources: readonly string[]) {
  const files = listed([...new Set(sources)]);
  return t`takes ${files}`;
}

const takesNothing = (definition: { inputs: readonly unknown[] } | undefined) =>
  definition && definition.inputs.length === 0 ? t`takes no files` : t`not connected yet`;

function framesWords(frames: readonly string[]): string {
  const names = listed(frames);
  if (frames.length === 0) return '';
  return frames.length === 1 ? t`in the frame ${names}` : t`in the frames ${names}`;
}
