/**
 * Which node runs of an earlier run did what those of a new run are to do. Nodes correspond by key, and
 * lanes by their files. Pure; what comes of the nodes before is for reuse.ts.
 */
import { canonicalJson } from '@cogworks/graph/hash';
import { referencesIn } from '@cogworks/graph/template';
import type { InputFileRow } from '../records.ts';
import { type Plan, type PlannedNode, paramsOf } from './plan.ts';

export type Match = {
  /** By position of a node: the position of the node that did the same, if there is one. */
  positions: (number | undefined)[];
  /** By input of the graph, and by lane: the lane that had the same file, if there is one. */
  lanes: ReadonlyMap<string, (number | undefined)[]>;
  /** Inputs with the same files in the same order. */
  sameInputs: ReadonlySet<string>;
};

export type Matched = {
  plan: Plan;
  variables: Record<string, unknown>;
  files: readonly Pick<InputFileRow, 'input_name' | 'position' | 'name' | 'checksum_sha256'>[];
};

/** Programs see the names of files, and their bytes. */
const nameOf = ({ name, checksum_sha256 }: Matched['files'][number]) =>
  `${checksum_sha256} ${name}`;

export function matchOf(now: Matched, then: Matched): Match {
  const lanes = new Map<string, (number | undefined)[]>();
  const sameInputs = new Set<string>();
  const [filesNow, filesThen] = [byInput(now), byInput(then)];
  for (const { name } of now.plan.graph.inputs) {
    const [here, there] = [filesNow.get(name) ?? [], filesThen.get(name) ?? []];
    const places = new Map(there.map((file, lane) => [file, lane]));
    // A file given twice has the first lane in preference, as long as the places agree.
    lanes.set(
      name,
      here.map((file, lane) => (there[lane] === file ? lane : places.get(file))),
    );
    const isSame = here.length === there.length && here.every((file, at) => file === there[at]);
    if (isSame && isInputOf(then.plan, name)) sameInputs.add(name);
  }
  const positions = now.plan.nodes.map((node) => {
    const other = then.plan.byKey.get(node.key);
    return other && doesTheSame(node, now, other, then, sameInputs) ? other.position : undefined;
  });
  return { positions, lanes, sameInputs };
}

const isInputOf = ({ graph }: Plan, input: string) =>
  graph.inputs.some(({ name }) => name === input);

/** The names of the files of each input, by lane. */
function byInput({ files }: Matched): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of files.toSorted((a, b) => a.position - b.position)) {
    const names = found.get(file.input_name) ?? [];
    found.set(file.input_name, names);
    names.push(nameOf(file));
  }
  return found;
}

/** Whether both have the same definition, command, params and connections. */
function doesTheSame(
  node: PlannedNode,
  now: Matched,
  other: PlannedNode,
  then: Matched,
  sameInputs: ReadonlySet<string>,
): boolean {
  if (node.definition.id !== other.definition.id) return false;
  if (connectionsOf(node) !== connectionsOf(other)) return false;
  const takesTheSame = node.incoming.every(
    ({ edge: { from }, role }) =>
      'node' in from || role === 'lane_source' || sameInputs.has(from.input),
  );
  if (!takesTheSame) return false;
  const isSameWord = ({ kind, name }: ReturnType<typeof referencesIn>[number]) => {
    // The id of a run is never the same.
    if (kind === 'run') return false;
    return kind !== 'vars' || (now.variables[name] ?? null) === (then.variables[name] ?? null);
  };
  if (!node.definition.command.flatMap(referencesIn).every(isSameWord)) return false;
  return paramsText(node, now) === paramsText(other, then);
}

const paramsText = (node: PlannedNode, { variables }: Matched) =>
  canonicalJson(paramsOf(node, variables));

/** In order: it is the order of the files of a port. */
const connectionsOf = ({ domain, incoming }: PlannedNode) =>
  canonicalJson([domain, incoming.map(({ edge, role }) => [edge.from, edge.to.port, role])]);
