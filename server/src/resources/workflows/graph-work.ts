/**
 * Work on graphs that runs on a thread, because a graph of 4 MB takes seconds. Pure functions of
 * their inputs; graphs are passed as text, which is cheap.
 */
import { createHash } from 'node:crypto';
import { canonicalJson, logicText } from '@cogworks/graph/hash';
import { inputLimits } from '@cogworks/graph/lanes';
import { partUntil } from '@cogworks/graph/part';
import type { Definition, Graph } from '@cogworks/graph/types';
import { invalid } from '../../errors.ts';
import { schemaError } from '../../http/schema-faults.ts';
import { compileCheck } from '../../http/validation.ts';
import { refusalOf } from '../../json-text.ts';
import { serve } from '../../thread.ts';
import { requireSound } from '../node_definitions/definition-faults.ts';
import { NewTemplate } from '../workflow-templates/schema.ts';
import { checkGraph } from './check-graph.ts';
import { resolvedVariables } from './resolved-variables.ts';
import { DraftChange, NewVersion, NewWorkflow } from './schema.ts';

/**
 * A graph as JSON, the SHA-256 of its canonical form (RFC 8785), and that of what it does: equal
 * graphs have equal hashes.
 */
export type GraphText = { text: string; hash: string; logic_hash: string };

export function textOf(graph: Graph): GraphText {
  const text = canonicalJson(graph);
  return { text, hash: digestOf(text), logic_hash: digestOf(logicText(graph)) };
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

const schemas = { NewWorkflow, NewVersion, DraftChange, NewTemplate };
export type BodyName = keyof typeof schemas;
const checks = new Map<BodyName, ReturnType<typeof compileCheck>>();

/**
 * Parses a request's body, as the server does with smaller ones.
 *
 * @returns its fields, with the graph separate.
 * @throws DomainError 400, 413 or 422.
 */
function read({ bytes, name }: { bytes: Uint8Array; name: BodyName }) {
  const refusal = refusalOf(bytes);
  if (refusal) throw refusal;
  const { graph, ...fields } = checked(parsed(bytes), name);
  return { fields, ...(graph ? { graph: textOf(graph) } : {}) };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw invalid('The body is not valid JSON.');
  }
}

function checked(body: unknown, name: BodyName) {
  const check = checks.get(name) ?? compileCheck({ schema: schemas[name], httpPart: 'body' });
  checks.set(name, check);
  if (!check(body)) throw schemaError('body', check.errors ?? []);
  return body as { graph?: Graph } & Record<string, unknown>;
}

/** Both as JSON text. */
type Checked = { graph: string; definitions: string };

function check({ graph, definitions }: Checked) {
  return checkGraph(JSON.parse(graph), byId(definitions));
}

function resolve({
  graph,
  definitions,
  given,
}: Checked & { given: Record<string, unknown> }): Record<string, unknown> {
  return resolvedVariables(JSON.parse(graph), byId(definitions), given);
}

/**
 * The part of a graph that leads to a node, and where the files of a run go: as in a run of the whole
 * graph, but inputs outside the part need none.
 *
 * @returns undefined if there is no such node.
 */
function part({ graph, definitions, until }: Checked & { until: string }) {
  const whole: Graph = JSON.parse(graph);
  const known = byId(definitions);
  const found = partUntil(whole, until, known);
  if (!found) return undefined;
  const taken = new Set(found.inputs.map(({ name }) => name));
  const limits = [...inputLimits(whole, known)].map(
    ([name, { min, max }]) => [name, { min: taken.has(name) ? min : 0, max }] as const,
  );
  return { ...textOf(found), inputs: whole.inputs, limits: new Map(limits) };
}

const byId = (definitions: string) =>
  new Map((JSON.parse(definitions) as Definition[]).map((one) => [one.id, one]));

export const graphWork = { read, check, resolve, part, definition: requireSound };
serve(graphWork);
