/** The workflow of one step, for trying it. Pure. */
import { referencesIn } from '@cogworks/graph/template';
import type { Graph, InputPort, NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { locale } from '../../../ui/language.ts';

type Tried = Pick<NodeDefinition, 'id' | 'inputs' | 'command' | 'title'>;
type Files = Readonly<Record<string, readonly number[]>>;

const key = 'step';

/** Those that take any number last: each file goes to the first input that has room for it. */
const inOrder = (inputs: readonly InputPort[]) =>
  inputs.toSorted((a, b) => Number(a.cardinality === 'many') - Number(b.cardinality === 'many'));

/**
 * The step alone, with an input for each port that got a file. The inputs take files of any type,
 * so that each goes where it was put; whether the step can read it is what one wants to know.
 */
export function graphOf(
  definition: Tried,
  files: Files,
  params: Readonly<Record<string, unknown>>,
): Graph {
  const ports = inOrder(definition.inputs).filter(({ name }) => (files[name] ?? []).length > 0);
  return {
    nodes: [
      { key, node_definition_id: definition.id, title: definition.title.slice(0, 200), params },
    ],
    edges: ports.map(({ name }) => ({ from: { input: name }, to: { node: key, port: name } })),
    inputs: ports.map(({ name }) => ({ name })),
    variables: variablesOf(definition).map((variable_name) => ({
      variable_name,
      type: 'string',
      required: true,
    })),
  };
}

/** The files in the order in which they reach their inputs. */
export const filesOf = ({ inputs }: Pick<Tried, 'inputs'>, files: Files): number[] =>
  inOrder(inputs).flatMap(({ name }) => files[name] ?? []);

/** The variables of a workflow that the command names. */
export const variablesOf = ({ command }: Pick<Tried, 'command'>): string[] => [
  ...new Set(
    command.flatMap(referencesIn).flatMap(({ kind, name }) => (kind === 'vars' ? [name] : [])),
  ),
];

/** Why it cannot be tried yet; undefined: it can. */
export function whatIsMissing({ inputs }: Pick<Tried, 'inputs'>, files: Files): string | undefined {
  const missing = inputs.filter(
    ({ name, cardinality }) => cardinality === 'one' && (files[name] ?? []).length === 0,
  );
  if (missing.length > 0) {
    const names = missing.map(({ title, name }) => title || name);
    const ports = new Intl.ListFormat(locale, { type: 'conjunction' }).format(names);
    return t`Choose a file for ${ports} first.`;
  }
  const many = inputs.filter(
    ({ name, cardinality }) => cardinality === 'many' && (files[name] ?? []).length > 0,
  );
  return many.length > 1
    ? t`Here only one input can get any number of files; build a workflow to give files to more.`
    : undefined;
}
