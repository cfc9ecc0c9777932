/**
 * The expected result of a run, derived only from the rules: recursively, looking at every node run
 * once, without queue, counters or database. A slow and simple reference for the engine.
 */
import { createHash } from 'node:crypto';
import { edgeRoles, laneDomains } from '@cogworks/graph/lanes';
import type { Definition, Graph, GraphEdge, GraphNode } from '@cogworks/graph/types';

export type Lane = number | undefined;
export type Definitions = ReadonlyMap<number, Definition>;

/** How the containers of a run behave, and what the run was started with. */
export type Fate = {
  fails(key: string, lane: Lane): boolean;
  /** How many files a `many` output of the node has. */
  count(key: string): number;
  parts: number;
  wanted: boolean;
};

/** Chosen to run again: one lane of a node, or all. */
export type Chosen = { node_key: string; shard_index?: number };

/** Some of these node runs, to run again. */
export function choiceOf(
  random: () => number,
  rows: readonly { node_key: string; shard_index?: number }[],
): Chosen[] {
  return [1, 2].slice(random() < 0.5 ? 1 : 0).map(() => {
    const { node_key, shard_index } = rows[Math.floor(random() * rows.length)] as Chosen;
    return shard_index === undefined || random() < 0.3 ? { node_key } : { node_key, shard_index };
  });
}

/** The fate of a restart of these: what runs again succeeds, and the rest ends as before. */
export const mended = (fate: Fate, isAgain: (key: string, lane: Lane) => boolean): Fate => ({
  ...fate,
  fails: (key, lane) => !isAgain(key, lane) && fate.fails(key, lane),
});

/** Checksums of the files of each port, in order. */
type Files = Map<string, string[]>;
type Given = { port: string; checksum_sha256: string };
type State = { status: 'success' | 'failure' | 'skipped'; skip_reason?: string; files: Files };

export const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** The outputs of a container: their bytes depend on all of its inputs. */
export function outputsOf(
  definition: Definition,
  { key, lane, fate, inputs }: { key: string; lane: Lane; fate: Fate; inputs: Given[] },
): { port: string; name: string; text: string }[] {
  const given = inputs.map(({ port, checksum_sha256 }) => [port, checksum_sha256]);
  const usesParts = definition.command.some((word) => word.includes('vars.parts'));
  return definition.outputs.flatMap(({ name: port, cardinality }) =>
    Array.from({ length: cardinality === 'many' ? fate.count(key) : 1 }, (_, at) => ({
      port,
      name: `${port}${at}`,
      text: JSON.stringify([key, lane, port, at, given, usesParts ? fate.parts : null]),
    })),
  );
}

export class ReferenceRun {
  readonly graph: Graph;
  readonly definitions: Definitions;
  readonly files: readonly { name: string; checksum_sha256: string }[];
  readonly #fate: Fate;
  readonly #domains: ReturnType<typeof laneDomains>;
  readonly #edges: { edge: GraphEdge; role: string }[];
  readonly #states = new Map<string, State>();

  constructor(
    graph: Graph,
    definitions: Definitions,
    files: readonly { name: string; checksum_sha256: string }[],
    fate: Fate,
  ) {
    this.graph = graph;
    this.definitions = definitions;
    this.files = files;
    this.#fate = fate;
    this.#domains = laneDomains(graph, definitions);
    const roles = edgeRoles(graph, definitions);
    this.#edges = graph.edges.map((edge, at) => ({ edge, role: roles[at] ?? 'plain' }));
  }

  isLeaf(key: string): boolean {
    return !this.graph.edges.some(({ from }) => 'node' in from && from.node === key);
  }

  /** Whether a node run was chosen, or depends on one that was. */
  isAgain(key: string, lane: Lane, chosen: readonly Chosen[]): boolean {
    const isChosen = ({ node_key, shard_index = lane }: Chosen) =>
      node_key === key && shard_index === lane;
    if (chosen.some(isChosen)) return true;
    return this.#edges.some(({ edge: { from, to }, role }) => {
      if (to.node !== key || !('node' in from)) return false;
      // A node without any lane may get some when what leads to it runs again.
      const lanes = role === 'same_lane' ? [lane] : [...this.lanes(from.node), undefined];
      return lanes.some((one) => this.isAgain(from.node, one, chosen));
    });
  }

  /** The lanes of a node; one without a number if it runs once, or if no lane was opened. */
  lanes(key: string): Lane[] {
    const domain = this.#domains.get(key);
    if (!domain) return [undefined];
    if (domain.kind === 'input') return [...this.files.keys()];
    const source = this.state(domain.node, undefined);
    return source.status === 'success'
      ? [...(source.files.get(domain.port) ?? []).keys()]
      : [undefined];
  }

  state(key: string, lane: Lane): State {
    const place = `${key}|${lane}`;
    const known = this.#states.get(place) ?? this.#decide(key, lane);
    this.#states.set(place, known);
    return known;
  }

  #decide(key: string, lane: Lane): State {
    const domain = this.#domains.get(key);
    const node = this.#node(key);
    const edges = this.#edges.filter(({ edge }) => edge.to.node === key);
    // A fan-out without files skips the nodes over it, for the same reason.
    const obstacles =
      domain?.kind === 'output' && lane === undefined
        ? [this.#ofOne(this.state(domain.node, undefined), false, false)]
        : edges.map(({ edge, role }) => this.#obstacle(edge, role, lane));
    for (const reason of ['upstream_failed', 'upstream_skipped']) {
      if (obstacles.includes(reason)) return skipped(reason);
    }
    if (node.when !== undefined && !this.#isWanted(key, lane)) return skipped('condition_false');
    if (this.#fate.fails(key, lane)) return { status: 'failure', files: new Map() };

    const inputs = edges.flatMap(({ edge, role }) =>
      this.#along(edge, role, lane).map((checksum_sha256) => ({
        port: edge.to.port,
        checksum_sha256,
      })),
    );
    const made = outputsOf(this.#definition(node), { key, lane, fate: this.#fate, inputs });
    const byPort = Map.groupBy(made, (output) => output.port);
    const files = new Map(
      [...byPort].map(([port, of]) => [port, of.map(({ text }) => hash(text))]),
    );
    return { status: 'success', files };
  }

  #obstacle({ from, to, min_success_ratio }: GraphEdge, role: string, lane: Lane) {
    if (!('node' in from)) return undefined;
    const port = this.#definition(this.#node(to.node)).inputs.find(({ name }) => name === to.port);
    const goesOn = this.#node(from.node).on_error === 'continue';
    const isOptional = port?.cardinality === 'optional';
    if (role !== 'gather') {
      const source = this.state(from.node, role === 'same_lane' ? lane : undefined);
      return this.#ofOne(source, isOptional, goesOn);
    }
    const meant = this.lanes(from.node)
      .map((one) => this.state(from.node, one))
      .filter((state) => !isLeftOut(state));
    if (meant.length === 0) return port?.cardinality === 'one' ? 'upstream_skipped' : undefined;
    const good = meant.filter(({ status }) => status === 'success').length;
    // How many must succeed: the edge's ratio, or one if the node tolerates failures, or all.
    const needed =
      min_success_ratio === undefined
        ? goesOn
          ? 1
          : meant.length
        : min_success_ratio * meant.length;
    return good >= needed ? undefined : 'upstream_failed';
  }

  #ofOne(source: State, isOptional: boolean, goesOn: boolean) {
    if (source.status === 'success') return undefined;
    if (isLeftOut(source)) return isOptional ? undefined : 'upstream_skipped';
    return isOptional && goesOn ? undefined : 'upstream_failed';
  }

  /** The conditions in the test's graphs: by a variable, or else by the name of the lane's file. */
  #isWanted(key: string, lane: Lane): boolean {
    const domain = this.#domains.get(key);
    if (!domain || this.#fate.wanted) return this.#fate.wanted;
    const name = domain.kind === 'input' ? this.files[lane ?? -1]?.name : `${domain.port}${lane}`;
    return name === 'f1' || name === 'x1';
  }

  #along({ from }: GraphEdge, role: string, lane: Lane): string[] {
    if (!('node' in from)) {
      const all = this.files.map(({ checksum_sha256 }) => checksum_sha256);
      return role === 'lane_source' ? all.slice(lane, (lane ?? 0) + 1) : all;
    }
    const lanes = role === 'same_lane' ? [lane] : this.lanes(from.node);
    const all = lanes.flatMap((one) => this.state(from.node, one).files.get(from.port) ?? []);
    return role === 'lane_source' ? all.slice(lane, (lane ?? 0) + 1) : all;
  }

  #node(key: string): GraphNode {
    const found = this.graph.nodes.find((node) => node.key === key);
    if (!found) throw new Error(`no node ${key}`);
    return found;
  }

  #definition(node: GraphNode): Definition {
    const found = this.definitions.get(node.node_definition_id);
    if (!found) throw new Error(`no definition of ${node.key}`);
    return found;
  }
}

const skipped = (skip_reason: string): State => ({
  status: 'skipped',
  skip_reason,
  files: new Map(),
});

/** Skipped on purpose, by its own condition or an earlier one. */
const isLeftOut = ({ skip_reason }: State) =>
  skip_reason === 'condition_false' || skip_reason === 'upstream_skipped';
