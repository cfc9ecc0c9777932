/**
 * What the container of a definition will see, by an example: its files, params, environment and
 * command, made as workers make them. Pure.
 */
import { isObject } from '@cogworks/graph/json';
import { secretParams } from '@cogworks/graph/params';
import { declaredParams } from '@cogworks/graph/schema';
import {
  parameterEnvironmentName,
  referencesIn,
  renderText,
  stemOf,
  TemplateError,
} from '@cogworks/graph/template';
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { endingOf } from './media-words.ts';

export type Shown = Pick<NodeDefinition, 'command' | 'env' | 'inputs' | 'outputs' | 'params'>;

/** A file or folder in the container, and what it is for. */
export type Line = { path: string; about: string };

export type ContainerView = {
  inputs: Line[];
  outputs: Line[];
  /** The text of /data/params.json. */
  params: string;
  env: [string, string][];
  /** Each argument; one that refers to nothing has a fault. */
  command: { text: string; fault?: string }[];
};

export function containerView(definition: Shown): ContainerView {
  const { inputs, outputs, env, command } = definition;
  const params = exampleParams(definition.params);
  const files = new Map(inputs.map((port) => [port.name, exampleNames(port)]));
  const single = inputs.find(({ cardinality }) => cardinality !== 'many');
  const fileName = single && files.get(single.name)?.[0];
  const scope = {
    params,
    vars: Object.fromEntries(
      command
        .flatMap(referencesIn)
        .flatMap(({ kind, name }) => (kind === 'vars' ? [[name, `‹${name}›`]] : [])),
    ),
    inputs: Object.fromEntries(
      inputs.map(({ name, cardinality }) => [
        name,
        cardinality === 'many'
          ? `/data/inputs/${name}`
          : `/data/inputs/${name}/${files.get(name)?.[0]}`,
      ]),
    ),
    run: { id: 1 },
    ...(fileName === undefined ? {} : { file: { name: fileName, stem: stemOf(fileName) } }),
  };
  return {
    inputs: inputs.flatMap(({ name, cardinality }) =>
      (files.get(name) ?? []).map((file) => ({
        path: `/data/inputs/${name}/${file}`,
        about: cardinality === 'optional' ? t`read-only, if there is one` : t`read-only`,
      })),
    ),
    outputs: outputs.map(({ name, glob, cardinality }) => ({
      path: `/data/outputs/${glob}`,
      about: keptWords[cardinality](name || '…'),
    })),
    params: JSON.stringify(params, null, 2),
    env: [
      ...Object.entries(env),
      ...Object.entries(params).map(([name, value]): [string, string] => [
        parameterEnvironmentName(name),
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ],
    command: command.map((text) => rendered(text, scope)),
  };
}

const keptWords = {
  one: (name: string) => t`exactly one, kept as ${name}`,
  many: (name: string) => t`all kept as ${name}`,
  optional: (name: string) => t`one or none, kept as ${name}`,
};

function rendered(text: string, scope: Parameters<typeof renderText>[1]) {
  try {
    return { text: renderText(text, scope) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { text, fault: error.message };
  }
}

function exampleNames({ cardinality, media_types }: Shown['inputs'][number]): string[] {
  const ending = endingOf(media_types?.[0]);
  const names = cardinality === 'many' ? [t`first`, t`second`] : [t`example`];
  return names.map((name) => `${name}.${ending}`);
}

/** Defaults, or else the smallest value that each may have. */
export function exampleParams(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const secrets = new Set(secretParams(schema));
  return Object.fromEntries(
    [...declaredParams(schema)].map(([name, part]) => [
      name,
      secrets.has(name) ? t`‹the secret›` : exampleOf(isObject(part) ? part : {}),
    ]),
  );
}

function exampleOf(part: Readonly<Record<string, unknown>>): unknown {
  if (part.default !== undefined) return part.default;
  if (Array.isArray(part.enum) && part.enum.length > 0) return part.enum[0];
  switch (part.type) {
    case 'integer':
    case 'number':
      return part.minimum ?? 1;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return '…';
  }
}

/** An argument as one would type it in a shell, so that one sees where each begins and ends. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./‹›…-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
