/** Entities of a graph out of any JSON: known fields of the right type, nothing else. */
import { noteLimits } from '../checks/notes.ts';
import { isObject, own } from '../json.ts';
import {
  type GraphEdge,
  type GraphNode,
  type GraphNote,
  type GraphVariable,
  type PortOfNode,
  variableTypes,
} from '../types.ts';

const longest = { name: 100, title: 200, when: 1000, description: 2000, pattern: 200 };
const mostChoices = 1000;

const text = (value: unknown, most: number) =>
  typeof value === 'string' && value.length <= most ? value : undefined;

/** Beyond this no screen shows anything. */
const farthest = 1e7;

const number = (value: unknown) =>
  typeof value === 'number' && Math.abs(value) <= farthest ? value : undefined;

const flag = (value: unknown) => (typeof value === 'boolean' ? value : undefined);

/** The entity without the fields that are undefined. */
function filled<Entity>(fields: { [Name in keyof Entity]: Entity[Name] | undefined }): Entity {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Entity;
}

export function readNode(value: unknown): GraphNode | undefined {
  const key = text(own(value, 'key'), longest.name);
  const id = own(value, 'node_definition_id');
  if (key === undefined || !Number.isSafeInteger(id)) return undefined;
  const onError = own(value, 'on_error');
  const params = own(value, 'params');
  return filled<Required<GraphNode>>({
    key,
    node_definition_id: id as number,
    title: text(own(value, 'title'), longest.title),
    params: isObject(params) ? (cleaned(params) as Record<string, unknown>) : undefined,
    map: flag(own(value, 'map')),
    when: text(own(value, 'when'), longest.when),
    on_error: onError === 'fail' || onError === 'continue' ? onError : undefined,
    position: readPoint(own(value, 'position')),
  });
}

/** Without `__proto__`, which is no name of a param. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(members.map(([name, member]) => [name, cleaned(member)]));
}

function readPoint(value: unknown) {
  const [x, y] = [number(own(value, 'x')), number(own(value, 'y'))];
  return x === undefined || y === undefined ? undefined : { x, y };
}

export function readEdge(value: unknown): GraphEdge | undefined {
  const from = own(value, 'from');
  const input = text(own(from, 'input'), longest.name);
  const source = input === undefined ? readPort(from) : { input };
  const to = readPort(own(value, 'to'));
  const ratio = number(own(value, 'min_success_ratio'));
  if (!source || !to) return undefined;
  const isRatio = ratio !== undefined && ratio >= 0 && ratio <= 1;
  return { from: source, to, ...(isRatio && { min_success_ratio: ratio }) };
}

function readPort(value: unknown): PortOfNode | undefined {
  const [node, port] = ['node', 'port'].map((name) => text(own(value, name), longest.name));
  return node === undefined || port === undefined ? undefined : { node, port };
}

export function readVariable(value: unknown): GraphVariable | undefined {
  const variable_name = text(own(value, 'variable_name'), longest.name);
  const type = variableTypes.find((one) => one === own(value, 'type'));
  if (variable_name === undefined || type === undefined) return undefined;
  const choices = own(value, 'enum');
  return filled<Required<GraphVariable>>({
    variable_name,
    type,
    default: cleaned(own(value, 'default')) as object,
    required: flag(own(value, 'required')),
    description: text(own(value, 'description'), longest.description),
    enum:
      Array.isArray(choices) && choices.length <= mostChoices ? choices.map(cleaned) : undefined,
    minimum: number(own(value, 'minimum')),
    maximum: number(own(value, 'maximum')),
    pattern: text(own(value, 'pattern'), longest.pattern),
  });
}

export function readNote(value: unknown): GraphNote | undefined {
  const id = text(own(value, 'id'), noteLimits.id);
  const words = text(own(value, 'text'), noteLimits.text);
  const position = readPoint(own(value, 'position'));
  const size = own(value, 'size');
  const [width, height] = ['width', 'height'].map((name) => number(own(size, name)));
  const isSized = [width, height].every(
    (length) => length !== undefined && length >= 1 && length <= noteLimits.size,
  );
  if (id === undefined || words === undefined || !position || !isSized) return undefined;
  const keys = own(value, 'node_keys');
  const node_keys = Array.isArray(keys)
    ? keys.filter((key) => text(key, longest.name) !== undefined).slice(0, noteLimits.node_keys)
    : undefined;
  return {
    id,
    text: words,
    position,
    size: { width: width as number, height: height as number },
    ...(node_keys && { node_keys }),
  };
}
