/**
 * Two people's changes of one graph, put together field by field. What only one of them changed is
 * taken over; where both changed the same field in different ways, a conflict holds both.
 */
import type { Graph, GraphEdge } from '../types.ts';
import {
  applyChanges,
  byId,
  type Change,
  changesBetween,
  type FieldChange,
  inverse,
  isContainer,
  listOf,
  sameJson,
  valueAt,
} from './changes.ts';

/** What both changed, from the graph that both began with. */
export type Conflict = { id: string; mine: Change[]; theirs: Change[] };

export type Merged = {
  /** With the changes of both; in conflicts with mine. */
  graph: Graph;
  conflicts: Conflict[];
  /** What the others changed. */
  theirs: Change[];
};

export function merge(base: Graph, mine: Graph, theirs: Graph): Merged {
  const own = changesBetween(base, mine);
  const other = changesBetween(base, theirs);
  const otherById = Map.groupBy(other, entityOf);
  const conflicts: Conflict[] = [];
  const settled = new Set<Change>();
  for (const [id, changes] of Map.groupBy(own, entityOf)) {
    const here = otherById.get(id);
    if (!here || changes.some(isOfList)) continue;
    const { same, conflict } = compare(changes, here);
    for (const change of same) settled.add(change);
    if (!conflict) continue;
    const whole = { id: idOf(id, conflict), ...withWires(conflict, own, other) };
    for (const change of whole.mine) settled.add(change);
    conflicts.push(whole);
  }
  const free = own.filter((change) => !settled.has(change));
  const graph = conflicts.reduce(withMine, applyChanges(theirs, free));
  return { graph, conflicts, theirs: other };
}

/** The graph with what the others made of a conflict; what was changed since stays. */
export const withTheirs = (graph: Graph, { mine, theirs }: Conflict): Graph =>
  applyChanges(applyChanges(graph, inverse(mine)), theirs);

export const withMine = (graph: Graph, { mine, theirs }: Conflict): Graph =>
  applyChanges(applyChanges(graph, inverse(theirs)), mine);

/** The conflict with what is mine by now: editing goes on while there is no choice. */
export const asOf = (graph: Graph, { mine, ...conflict }: Conflict): Conflict => ({
  ...conflict,
  mine: mine.map((change) => {
    if (change.type !== 'set') return change;
    const entity = byId(change.list, listOf(graph, change.list)).get(change.id);
    return entity ? { ...change, after: valueAt(entity, change.pointer) } : change;
  }),
});

const isOfList = ({ type }: Change) => type === 'order' || type === 'list';

/** Changes of orders and whole lists never conflict: each is an entity of its own kind. */
function entityOf(change: Change): string {
  return isOfList(change)
    ? JSON.stringify([change.list, change.type])
    : JSON.stringify([change.list, 'entity', (change as FieldChange).id]);
}

function idOf(entity: string, { mine }: Pick<Conflict, 'mine'>): string {
  return [entity, ...mine.map((change) => ('pointer' in change ? change.pointer : ''))].join(' ');
}

type Compared = {
  /** My changes that the others made too. */
  same: Change[];
  conflict?: Pick<Conflict, 'mine' | 'theirs'>;
};

/** The changes of both of one entity. */
function compare(mine: Change[], theirs: Change[]): Compared {
  const [own] = mine;
  const [other] = theirs;
  if (own?.type === 'remove' && other?.type === 'remove') return { same: mine };
  if (own?.type === 'add' && other?.type === 'add' && sameJson(own.value, other.value)) {
    return { same: mine };
  }
  if ([own, other].some((change) => change?.type !== 'set')) {
    return { same: [], conflict: { mine, theirs } };
  }
  return compareFields(mine as FieldChange[], theirs as FieldChange[]);
}

function compareFields(mine: FieldChange[], theirs: FieldChange[]): Compared {
  const same: FieldChange[] = [];
  const own = new Set<FieldChange>();
  const others = new Set<FieldChange>();
  for (const change of mine) {
    for (const other of theirs) {
      if (change.pointer === other.pointer && sameJson(change.after, other.after)) {
        same.push(change);
      } else if (isOverlap(change, other)) {
        own.add(change);
        others.add(other);
      }
    }
  }
  return own.size === 0 ? { same } : { same, conflict: { mine: [...own], theirs: [...others] } };
}

/** One place, or one within the other. */
function isOverlap(a: FieldChange, b: FieldChange): boolean {
  if (isContainer(a) || isContainer(b)) return false;
  return (
    a.pointer === b.pointer ||
    a.pointer.startsWith(`${b.pointer}/`) ||
    b.pointer.startsWith(`${a.pointer}/`)
  );
}

/** With a node that one of them removed go its wires, so that it comes back with them. */
function withWires(
  { mine, theirs }: Pick<Conflict, 'mine' | 'theirs'>,
  own: readonly Change[],
  other: readonly Change[],
): Pick<Conflict, 'mine' | 'theirs'> {
  return { mine: [...mine, ...wiresOf(mine, own)], theirs: [...theirs, ...wiresOf(theirs, other)] };
}

function wiresOf(conflict: readonly Change[], all: readonly Change[]): Change[] {
  const gone = new Set(
    conflict.flatMap((one) => (one.type === 'remove' && one.list === 'nodes' ? one.id : [])),
  );
  if (gone.size === 0) return [];
  return all.filter((change) => {
    if (change.type !== 'remove' || change.list !== 'edges') return false;
    const { from, to } = change.value as GraphEdge;
    return gone.has(to.node) || ('node' in from && gone.has(from.node));
  });
}
