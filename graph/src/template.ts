/**
 * `{{vars.width}}` in the command of a definition and in the params of a node. A substituted value
 * is never scanned for further references, and an entry of a command stays one entry: no shell
 * splits it.
 */
import { isObject, own } from './json.ts';

export type TemplateReference = {
  /** As written between the braces, trimmed. */
  text: string;
  kind: 'params' | 'vars' | 'inputs' | 'file' | 'run' | 'unknown';
  name: string;
};

/**
 * The names that can be referenced. A name with the value null, such as an optional input, is
 * replaced by an empty string; an unknown name is an error.
 */
export type TemplateScope = {
  params?: Readonly<Record<string, unknown>>;
  vars?: Readonly<Record<string, unknown>>;
  /** The path of every port: its file, or the folder of a `many` port. */
  inputs?: Readonly<Record<string, string | null>>;
  file?: Readonly<{ name: string; stem: string }>;
  run?: Readonly<{ id: number | string }>;
};

export class TemplateError extends Error {
  override name = 'TemplateError';
  readonly reference: string;
  constructor(reference: string) {
    super(`{{${reference}}} refers to nothing.`);
    this.reference = reference;
  }
}

const braces = /\{\{([^{}]*)\}\}/gu;

/** Every reference in the text; invalid ones as `unknown`. */
export function referencesIn(text: string): TemplateReference[] {
  if (!text.includes('{{')) return [];
  return Array.from(text.matchAll(braces), ([, inner = '']) => toReference(inner.trim()));
}

function toReference(text: string): TemplateReference {
  // The whole rest is the name: a JSON Schema may have a property `a.b`.
  const [, kind, rest = ''] = /^(params|vars|inputs|file|run)\.(.+)$/su.exec(text) ?? [];
  const unknown: TemplateReference = { text, kind: 'unknown', name: '' };
  switch (kind) {
    case 'params':
    case 'vars':
      return { text, kind, name: rest };
    case 'inputs': {
      const name = rest.slice(0, -'.path'.length);
      return rest.endsWith('.path') && name !== '' ? { text, kind, name } : unknown;
    }
    case 'file':
      return rest === 'name' || rest === 'stem' ? { text, kind, name: rest } : unknown;
    case 'run':
      return rest === 'id' ? { text, kind, name: rest } : unknown;
    default:
      return unknown;
  }
}

/** The reference that is the whole text, if there is one. */
export function soleReference(text: string): TemplateReference | null {
  const inner = /^\{\{([^{}]*)\}\}$/u.exec(text)?.[1];
  return inner === undefined ? null : toReference(inner.trim());
}

export function renderText(text: string, scope: TemplateScope): string {
  return text.replace(braces, (_, inner: string) =>
    asText(resolve(toReference(inner.trim()), scope)),
  );
}

export function renderCommand(command: readonly string[], scope: TemplateScope): string[] {
  return command.map((entry) => renderText(entry, scope));
}

/**
 * The params of a node with variables substituted. A value that is exactly one reference keeps the
 * variable's type; if that variable has no value, the param is omitted, so that its default
 * applies.
 */
export function renderParams(
  params: Readonly<Record<string, unknown>>,
  vars: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const rendered = Object.entries(params).map(([name, value]) => [name, renderValue(value, vars)]);
  return Object.fromEntries(rendered.filter(([, value]) => value !== undefined));
}

function renderValue(value: unknown, vars: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') {
    const sole = soleReference(value);
    return sole ? (resolve(sole, { vars }) ?? undefined) : renderText(value, { vars });
  }
  if (Array.isArray(value)) {
    return value.map((item) => renderValue(item, vars)).filter((item) => item !== undefined);
  }
  return isObject(value) ? renderParams(value, vars) : value;
}

function resolve({ text, kind, name }: TemplateReference, scope: TemplateScope): unknown {
  const members = kind === 'unknown' ? undefined : scope[kind];
  if (!members || !Object.hasOwn(members, name)) throw new TemplateError(text);
  return own(members, name) ?? null;
}

function asText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The name without its last extension; the dot of `.bashrc` does not begin one. */
export function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** `PARAM_` and the name in capitals; invalid characters become `_`. */
export function parameterEnvironmentName(name: string): string {
  return `PARAM_${name.toUpperCase().replace(/[^A-Z0-9_]/gu, '_')}`;
}
