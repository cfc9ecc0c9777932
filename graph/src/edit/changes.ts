/**
 * What differs between two graphs, as a list of changes: the one notion for undo, journals, merges
 * and comparisons. Things are told apart by identity, not by position: nodes by key, edges by their
 * ends, inputs and variables by name, notes by id. Applying changes to another graph than the one
 * they were found in is safe: what is not there is left out.
 */
import { isObject, own, pointerTo } from '../json.ts';
import { isSecret } from '../params.ts';
import type {
  Graph,
  GraphEdge,
  GraphInput,
  GraphNode,
  GraphNote,
  GraphVariable,
} from '../types.ts';

export type Entities = {
  inputs: GraphInput;
  variables: GraphVariable;
  nodes: GraphNode;
  edges: GraphEdge;
  notes: GraphNote;
};
export type ListName = keyof Entities;
export type Entity = Entities[ListName];

/** In the order in which things are told: what comes in, what is done with it, remarks. */
export const listNames = ['inputs', 'variables', 'nodes', 'edges', 'notes'] as const;

/** `at` is the index in the list that has the entity. */
export type Presence = {
  type: 'add' | 'remove';
  list: ListName;
  id: string;
  at: number;
  value: Entity;
};
/** `pointer` is a JSON Pointer into the entity; undefined stands for what is absent. */
export type FieldChange = {
  type: 'set';
  list: ListName;
  id: string;
  pointer: string;
  before?: unknown;
  after?: unknown;
};
/** The ids that both lists have, in their orders. */
export type OrderChange = { type: 'order'; list: ListName; before: string[]; after: string[] };
/** Whether there is a list at all, be it empty; only notes may lack one. */
export type ListChange = { type: 'list'; list: ListName; before: boolean; after: boolean };
export type Change = Presence | FieldChange | OrderChange | ListChange;

export const edgeId = ({ from, to }: GraphEdge): string =>
  JSON.stringify([...('node' in from ? [from.node, from.port] : [from.input]), to.node, to.port]);

const identities: { [List in ListName]: (entity: Entities[List]) => string } = {
  inputs: ({ name }) => name,
  variables: ({ variable_name }) => variable_name,
  nodes: ({ key }) => key,
  edges: edgeId,
  notes: ({ id }) => id,
};

/** Fields that make up the identity of an entity, and never change. */
const ownIdentity = new Set(['key', 'name', 'variable_name', 'id', 'from', 'to']);

/** The id of an entity, if no other of its list has the same one. */
export function idOf<List extends ListName>(list: List, entity: Entities[List]): string {
  return identities[list](entity);
}

/**
 * A list by ids. Drafts may hold two nodes of one key: the second has an id that no text of a
 * request can have.
 */
export function byId<List extends ListName>(
  list: List,
  entities: readonly Entities[List][],
): Map<string, Entities[List]> {
  const found = new Map<string, Entities[List]>();
  const repeated = new Map<string, number>();
  for (const entity of entities) {
    const id = idOf(list, entity);
    const count = repeated.get(id) ?? 0;
    repeated.set(id, count + 1);
    found.set(count === 0 ? id : `${id}\0${count}`, entity);
  }
  return found;
}

/** A list of a graph. */
export function listOf<List extends ListName>(graph: Graph, list: List): Entities[List][] {
  return (graph[list] ?? []) as Entities[List][];
}

/** The changes that make `after` of `before`. */
export function changesBetween(before: Graph, after: Graph): Change[] {
  return listNames.flatMap((list) => {
    if (before[list] === after[list]) return [];
    const changes = listChanges(list, listOf(before, list), listOf(after, list));
    const [was, is] = [before[list] !== undefined, after[list] !== undefined];
    return was === is
      ? changes
      : withListChange(changes, { type: 'list', list, before: was, after: is });
  });
}

/** A list is made before anything is added to it, and goes after all has been removed. */
function withListChange(changes: Change[], change: ListChange): Change[] {
  return change.after ? [change, ...changes] : [...changes, change];
}

function listChanges<List extends ListName>(
  list: List,
  before: readonly Entities[List][],
  after: readonly Entities[List][],
): Change[] {
  if (isSameOrder(list, before, after)) {
    const ids = [...byId(list, after).keys()];
    return after.flatMap((value, at) => fieldChanges(list, ids[at] ?? '', before[at], value));
  }
  const old = [...byId(list, before)];
  const now = [...byId(list, after)];
  const [wasThere, isThere] = [new Map(old), new Map(now)];
  const removed = old
    .map(([id, value], at): Presence => ({ type: 'remove', list, id, at, value }))
    .filter(({ id }) => !isThere.has(id));
  const added = now
    .map(([id, value], at): Presence => ({ type: 'add', list, id, at, value }))
    .filter(({ id }) => !wasThere.has(id));
  const set = now.flatMap(([id, value]) => fieldChanges(list, id, wasThere.get(id), value));
  // Last to first, so that the inverse adds them first to last, each to its index.
  return [
    ...removed.reverse(),
    ...orderChange(list, old, now, isThere, wasThere),
    ...set,
    ...added,
  ];
}

/** Whether both have the same entities in the same order, as after most edits. */
const isSameOrder = <List extends ListName>(
  list: List,
  before: readonly Entities[List][],
  after: readonly Entities[List][],
): boolean =>
  before.length === after.length &&
  after.every((now, at) => {
    const old = before[at];
    return old === now || (old !== undefined && idOf(list, old) === idOf(list, now));
  });

type Listed = readonly (readonly [string, Entity])[];
type Known = ReadonlyMap<string, Entity>;

function orderChange(list: ListName, old: Listed, now: Listed, isThere: Known, wasThere: Known) {
  const before = old.map(([id]) => id).filter((id) => isThere.has(id));
  const after = now.map(([id]) => id).filter((id) => wasThere.has(id));
  const isSame = before.every((id, at) => id === after[at]);
  return isSame ? [] : [{ type: 'order', list, before, after } satisfies OrderChange];
}

function fieldChanges(
  list: ListName,
  id: string,
  before: Entity | undefined,
  after: Entity,
): FieldChange[] {
  if (before === undefined || before === after) return [];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    if (ownIdentity.has(name)) return [];
    const values = { before: own(before, name), after: own(after, name) };
    const found = valueChanges(pointerTo('', name), values, name === 'params');
    return found.map((change): FieldChange => ({ type: 'set', list, id, ...change }));
  });
}

type ValueChange = Pick<FieldChange, 'pointer' | 'before' | 'after'>;
type Values = { before: unknown; after: unknown };

/** @param isDeep whether objects are compared member by member; params are. */
function valueChanges(pointer: string, values: Values, isDeep: boolean): ValueChange[] {
  const { before, after } = values;
  if (sameJson(before, after)) return [];
  if (!isDeep || !mayHaveMembers(before) || !mayHaveMembers(after)) {
    return [{ pointer, before, after }];
  }
  const members = (value: unknown) => (isObject(value) ? value : {});
  const names = new Set([...Object.keys(members(before)), ...Object.keys(members(after))]);
  const inner = [...names].flatMap((name) =>
    valueChanges(
      pointerTo(pointer, name),
      { before: own(before, name), after: own(after, name) },
      true,
    ),
  );
  // An empty object in between, so that two people may each add a member to it.
  if (before === undefined) return [{ pointer, before, after: {} }, ...inner];
  if (after === undefined) return [...inner, { pointer, before: {}, after }];
  return inner;
}

const mayHaveMembers = (value: unknown) =>
  value === undefined || (isObject(value) && !isSecret(value));

/** Whether two JSON values are equal; a member that is undefined counts as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || (a === 0 && b === 0)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => sameJson(item, b[at]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => sameJson(own(a, name), own(b, name)));
}

/** The changes that take these back. */
export function inverse(changes: readonly Change[]): Change[] {
  return changes.map(inverseOf).reverse();
}

function inverseOf(change: Change): Change {
  switch (change.type) {
    case 'add':
      return { ...change, type: 'remove' };
    case 'remove':
      return { ...change, type: 'add' };
    case 'set':
      return { ...change, before: change.after, after: change.before };
    case 'order':
      return { ...change, before: change.after, after: change.before };
    case 'list':
      return { ...change, before: change.after, after: change.before };
  }
}

/** The graph with these changes. What they do not touch stays the same object. */
export function applyChanges(graph: Graph, changes: readonly Change[]): Graph {
  const byList = Map.groupBy(changes, ({ list }) => list);
  let changed = graph;
  for (const [list, some] of byList) changed = withList(changed, list, some);
  return changed;
}

function withList(graph: Graph, list: ListName, changes: readonly Change[]): Graph {
  const entities = new ListInWork(list, listOf(graph, list));
  let isThere = graph[list] !== undefined;
  for (const change of changes) {
    if (change.type === 'list') isThere = change.after;
    else entities.apply(change);
  }
  const result = entities.result();
  if (result.length === 0 && !isThere && list === 'notes') {
    const { notes: _, ...rest } = graph;
    return graph.notes === undefined ? graph : rest;
  }
  return entities.isChanged || graph[list] === undefined ? { ...graph, [list]: result } : graph;
}

/**
 * Those of the changes that are still about what they were made of: a field that has another value
 * by now, or an entity to be removed that is not the same any more, was changed by somebody else.
 */
export function stillFitting(graph: Graph, changes: readonly Change[]): Change[] {
  const known = new Map(
    [...new Set(changes.map(({ list }) => list))].map((list) => [
      list,
      byId(list, listOf(graph, list)) as Known,
    ]),
  );
  return changes.filter((change) => {
    if (change.type === 'order' || change.type === 'list') return true;
    const entity = known.get(change.list)?.get(change.id);
    if (entity === undefined || change.type === 'add') return true;
    if (change.type !== 'set') return sameJson(entity, change.value);
    return isContainer(change) || sameJson(valueAt(entity, change.pointer), change.before);
  });
}

/** What an entity has at a pointer. */
export const valueAt = (entity: Entity, pointer: string): unknown =>
  stepsOf(pointer).reduce<unknown>((value, step) => own(value, step), entity);

/** That there is an object at all, be it empty, is no matter of dispute. */
export const isContainer = ({ before, after }: FieldChange): boolean =>
  (before === undefined && isObject(after) && isEmpty(after)) ||
  (after === undefined && isObject(before) && isEmpty(before));

/** One list while changes are applied to it. */
class ListInWork {
  isChanged = false;
  #order: string[];
  readonly #entities: Map<string, Entity>;

  constructor(list: ListName, entities: readonly Entity[]) {
    this.#entities = byId(list, entities as never) as Map<string, Entity>;
    this.#order = [...this.#entities.keys()];
  }

  result(): Entity[] {
    return this.#order.flatMap((id) => this.#entities.get(id) ?? []);
  }

  apply(change: Presence | FieldChange | OrderChange): void {
    switch (change.type) {
      case 'add':
        this.#add(change);
        break;
      case 'remove':
        this.#remove(change.id);
        break;
      case 'set':
        this.#set(change);
        break;
      case 'order':
        this.#reorder(change.after);
    }
  }

  #add({ id, at, value }: Presence): void {
    if (this.#entities.has(id)) return;
    this.#entities.set(id, value);
    this.#order.splice(at, 0, id);
    this.isChanged = true;
  }

  #remove(id: string): void {
    if (!this.#entities.delete(id)) return;
    this.#order.splice(this.#order.indexOf(id), 1);
    this.isChanged = true;
  }

  #set({ id, pointer, before, after }: FieldChange): void {
    const entity = this.#entities.get(id);
    if (!entity) return;
    const changed = withValue(entity, stepsOf(pointer), { before, after });
    if (changed === entity) return;
    this.#entities.set(id, changed as Entity);
    this.isChanged = true;
  }

  /** Those that are named take the places of one another; others stay where they are. */
  #reorder(wanted: readonly string[]): void {
    const named = wanted.filter((id) => this.#entities.has(id));
    const known = new Set(named);
    let next = 0;
    this.#order = this.#order.map((id) => (known.has(id) ? (named[next++] ?? id) : id));
    this.isChanged = true;
  }
}

/** The steps of a JSON Pointer. */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function withValue(value: unknown, [step, ...rest]: string[], change: Values): unknown {
  if (step === undefined) return replaced(value, change);
  const members = isObject(value) ? value : {};
  const inner = own(members, step);
  const changed = withValue(inner, rest, change);
  if (changed === inner) return value;
  if (changed === undefined) {
    return Object.fromEntries(Object.entries(members).filter(([name]) => name !== step));
  }
  return { ...members, [step]: changed };
}

/** An empty object is made only where there is none, and goes only if it is still empty. */
function replaced(value: unknown, { before, after }: Values): unknown {
  if (isEmpty(after) && before === undefined && isObject(value)) return value;
  if (isEmpty(before) && after === undefined && isObject(value) && !isEmpty(value)) return value;
  return sameJson(value, after) ? value : after;
}

const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
