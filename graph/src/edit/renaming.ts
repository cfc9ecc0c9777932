/** Renames a variable where a node refers to it. */
import { referencesOf } from '../expression.ts';
import { parseExpression } from '../expression-syntax.ts';
import { isObject } from '../json.ts';
import { referencesIn } from '../template.ts';
import type { GraphNode } from '../types.ts';

export function withVariableRenamed(node: GraphNode, name: string, newName: string): GraphNode {
  const params = node.params && inValue(node.params, name, newName);
  const when = node.when && inCondition(node.when, name, newName);
  if (params === node.params && when === node.when) return node;
  return {
    ...node,
    ...(params !== undefined && { params: params as Record<string, unknown> }),
    ...(when !== undefined && { when }),
  };
}

function inValue(value: unknown, name: string, newName: string): unknown {
  if (typeof value === 'string') return inText(value, name, newName);
  if (Array.isArray(value)) {
    const items = value.map((item) => inValue(item, name, newName));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, item]) => [key, inValue(item, name, newName)]);
  const isSame = members.every(([key, item]) => value[key as string] === item);
  return isSame ? value : Object.fromEntries(members);
}

function inText(text: string, name: string, newName: string): string {
  return text.replace(/\{\{([^{}]*)\}\}/gu, (whole) => {
    const [reference] = referencesIn(whole);
    return reference?.kind === 'vars' && reference.name === name ? `{{vars.${newName}}}` : whole;
  });
}

/** A condition that cannot be read stays as it is. */
function inCondition(text: string, name: string, newName: string): string {
  const parsed = parseExpression(text);
  if ('fault' in parsed) return text;
  const places = referencesOf(parsed.ast)
    .filter((reference) => reference.root === 'vars' && reference.name === name)
    .map(({ column }) => column - 1 + 'vars.'.length)
    .sort((a, b) => b - a);
  return places.reduce(
    (changed, at) => changed.slice(0, at) + newName + changed.slice(at + name.length),
    text,
  );
}
