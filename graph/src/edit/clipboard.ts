/**
 * Nodes as text: what is copied in one workflow is pasted into another. The text may come from
 * anywhere, so nothing of it is taken over but known fields of the right type.
 */

import { isKey } from '../checks/names.ts';
import { noteLimits } from '../checks/notes.ts';
import { usedVariables } from '../checks/warnings.ts';
import { isObject, own, tooDeep } from '../json.ts';
import { lookUp } from '../lookup.ts';
import { isSecret, isSecretParam } from '../params.ts';
import type { Definition, Definitions, Graph, GraphEdge, GraphNode, GraphNote } from '../types.ts';
import { maxNodes } from '../validate.ts';
import { sameJson } from './changes.ts';
import { freeName, type Point } from './edits.ts';
import { readEdge, readNode, readNote, readVariable } from './pasted-shape.ts';

/** What pasting adds. */
export type Additions = Required<Pick<Graph, 'nodes' | 'edges' | 'variables' | 'notes'>>;

/** `remarks` say what could not be taken over as it was. */
export type Pasted = { additions: Additions; remarks: string[] } | { refused: string };

/** In characters; 2,000 nodes are about 400,000. */
const longestText = 2_000_000;
const mostEdges = 20_000;
const mostRemarks = 20;

/** An id that no definition has, for a node whose definition is not here. */
export const noDefinition = 0;

/** The named nodes with the wires between them, the variables they use, and notes. */
export function copyText(
  graph: Graph,
  definitions: Definitions,
  keys: ReadonlySet<string>,
  notes: ReadonlySet<string> = new Set(),
): string {
  const nodes = graph.nodes.filter(({ key }) => keys.has(key));
  // Wires from elsewhere too: pasting names those that it cannot draw.
  const edges = graph.edges.filter(({ to }) => keys.has(to.node));
  const part = { ...graph, nodes, edges };
  const used = usedVariables(part, lookUp(part, definitions));
  const names = nodes.flatMap(({ node_definition_id: id }) => {
    const definition = definitions.get(id);
    return definition ? [[String(id), `${definition.name}@${definition.version}`]] : [];
  });
  return JSON.stringify({
    cogworks: 1,
    nodes: nodes.map((node) => withoutPlainSecrets(node, definitions)),
    edges,
    variables: graph.variables.filter(({ variable_name }) => used.has(variable_name)),
    notes: (graph.notes ?? []).filter(({ id }) => notes.has(id)),
    definitions: Object.fromEntries(names),
  });
}

/** A secret that somebody typed instead of naming it stays here. */
function withoutPlainSecrets(node: GraphNode, definitions: Definitions): GraphNode {
  const schema = definitions.get(node.node_definition_id)?.params;
  if (!node.params) return node;
  const kept = Object.entries(node.params).filter(
    ([name, value]) => !isSecretParam(schema, name) || isSecret(value),
  );
  return { ...node, params: Object.fromEntries(kept) };
}

/** Whether a text looks like nodes that were copied; anything else is none of our business. */
export const isCopied = (text: string): boolean => /^\s*\{\s*"cogworks"\s*:/u.test(text);

/** @param at where the upper left corner goes; beside the originals unless given. */
export function readPasted(
  text: string,
  graph: Graph,
  definitions: Definitions,
  at?: Point,
): Pasted {
  if (text.length > longestText) return { refused: 'The text is too long to be pasted here.' };
  const parsed = parse(text);
  if (parsed === undefined || own(parsed, 'cogworks') === undefined) {
    return { refused: 'The text holds no nodes of a workflow.' };
  }
  if (own(parsed, 'cogworks') !== 1) {
    return { refused: 'The text is of a later version of Cogworks.' };
  }
  if (tooDeep(parsed)) return { refused: 'The text is nested too deeply.' };

  const read = new Reading(graph, definitions, parsed);
  if (graph.nodes.length + read.nodes.length > maxNodes) {
    return { refused: `A workflow has at most ${maxNodes} nodes.` };
  }
  const additions = read.additions();
  if (additions.nodes.length + additions.notes.length === 0) {
    return { refused: 'The text holds no nodes of a workflow.' };
  }
  return { additions: placed(additions, at), remarks: shortened(read.remarks) };
}

/** The graph with what was pasted. */
export const withPasted = (graph: Graph, { nodes, edges, variables, notes }: Additions): Graph => ({
  ...graph,
  nodes: [...graph.nodes, ...nodes],
  edges: [...graph.edges, ...edges],
  ...(variables.length > 0 && { variables: [...graph.variables, ...variables] }),
  ...(notes.length > 0 && { notes: [...(graph.notes ?? []), ...notes] }),
});

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const listIn = (value: unknown, name: string): unknown[] => {
  const list = own(value, name);
  return Array.isArray(list) ? list : [];
};

/** The text, read entity by entity. */
class Reading {
  readonly remarks: string[] = [];
  readonly nodes: GraphNode[];
  readonly #graph: Graph;
  readonly #parsed: Record<string, unknown>;
  readonly #definitions: Definitions;
  /** The new key of each key in the text. */
  readonly #keys = new Map<string, string>();

  constructor(graph: Graph, definitions: Definitions, parsed: Record<string, unknown>) {
    this.#graph = graph;
    this.#parsed = parsed;
    this.#definitions = definitions;
    this.nodes = this.#read('nodes', readNode, 'node');
  }

  additions(): Additions {
    const taken = new Set(this.#graph.nodes.map(({ key }) => key));
    const nodes = this.nodes.flatMap((node) => {
      if (this.#keys.has(node.key)) return [];
      const key =
        isKey(node.key) && !taken.has(node.key) ? node.key : freeName(node.key, taken, 'node');
      taken.add(key);
      this.#keys.set(node.key, key);
      return [{ ...node, key, node_definition_id: this.#definitionOf(node) }];
    });
    return { nodes, edges: this.#edges(), variables: this.#variables(), notes: this.#notes() };
  }

  #read<Entity>(list: string, read: (value: unknown) => Entity | undefined, what: string) {
    const values = listIn(this.#parsed, list);
    const found = values.flatMap((value) => read(value) ?? []);
    const lost = values.length - found.length;
    if (lost > 0)
      this.remarks.push(`Left out ${lost} that ${lost === 1 ? 'is' : 'are'} no ${what}.`);
    return found;
  }

  #definitionOf({ key, title, node_definition_id: id }: GraphNode): number {
    const named = own(own(this.#parsed, 'definitions'), String(id));
    if (typeof named !== 'string') {
      this.remarks.push(`What ${title || key} runs is not known.`);
      return noDefinition;
    }
    const at = named.lastIndexOf('@');
    const [name, version] = [named.slice(0, at), named.slice(at + 1)];
    const known = [...this.#definitions.values()].filter((one) => one.name === name);
    const exact = known.find((one) => one.version === version);
    if (exact) return exact.id;
    const newest = known.reduce<Definition | undefined>(
      (latest, one) => (latest && latest.id > one.id ? latest : one),
      undefined,
    );
    this.remarks.push(
      newest
        ? `${title || key} uses ${name} ${newest.version}, as there is no ${version} here.`
        : `There is no ${named.slice(0, 80)} here, which ${title || key} runs.`,
    );
    return newest?.id ?? noDefinition;
  }

  #edges(): GraphEdge[] {
    const edges = this.#read('edges', readEdge, 'wire').slice(0, mostEdges);
    return edges.flatMap((edge) => {
      const to = this.#keys.get(edge.to.node);
      const from = 'node' in edge.from ? this.#keys.get(edge.from.node) : undefined;
      if (to !== undefined && from !== undefined && 'node' in edge.from) {
        return [{ ...edge, from: { ...edge.from, node: from }, to: { ...edge.to, node: to } }];
      }
      const source = 'node' in edge.from ? edge.from.node : edge.from.input;
      this.remarks.push(`Not connected: ${source} to ${to ?? edge.to.node}.`);
      return [];
    });
  }

  /** Those that the graph lacks. */
  #variables() {
    const here = new Map(this.#graph.variables.map((one) => [one.variable_name, one]));
    const added = new Map<string, Graph['variables'][number]>();
    for (const variable of this.#read('variables', readVariable, 'variable')) {
      const name = variable.variable_name;
      const other = here.get(name);
      if (other === undefined && isKey(name)) added.set(name, variable);
      else if (!sameJson(other, variable)) {
        this.remarks.push(`The variable ${name.slice(0, 80)} stays as it is here.`);
      }
    }
    if (added.size > 0) this.remarks.push(`Added the variables ${[...added.keys()].join(', ')}.`);
    return [...added.values()];
  }

  #notes(): GraphNote[] {
    const taken = new Set((this.#graph.notes ?? []).map(({ id }) => id));
    const room = Math.max(0, noteLimits.notes - taken.size);
    return this.#read('notes', readNote, 'note')
      .slice(0, room)
      .map((note) => {
        const id = freeName(note.id, taken, 'note');
        taken.add(id);
        const node_keys = note.node_keys?.flatMap((key) => this.#keys.get(key) ?? []);
        return { ...note, id, ...(node_keys && { node_keys }) };
      });
  }
}

const beside = 32;

/** Moved as a whole. */
function placed({ nodes, notes, ...rest }: Additions, at: Point | undefined): Additions {
  const points = [...nodes, ...notes].flatMap(({ position }) => position ?? []);
  const least = (axis: 'x' | 'y') => Math.min(...points.map((point) => point[axis]));
  const by =
    at && points.length > 0
      ? { x: at.x - least('x'), y: at.y - least('y') }
      : { x: beside, y: beside };
  const move = ({ x, y }: Point) => ({ x: x + by.x, y: y + by.y });
  return {
    ...rest,
    nodes: nodes.map((node) =>
      node.position
        ? { ...node, position: move(node.position) }
        : at
          ? { ...node, position: at }
          : node,
    ),
    notes: notes.map((note) => ({ ...note, position: move(note.position) })),
  };
}

function shortened(remarks: string[]): string[] {
  const more = remarks.length - mostRemarks;
  return more <= 0 ? remarks : [...remarks.slice(0, mostRemarks), `And ${more} more.`];
}
