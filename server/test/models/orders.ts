/** Whether calls that were made at the same time can have happened one after another. */
import {
  after,
  type Call,
  placed,
  type Rights,
  type Snapshot,
  snapshot,
  type Tree,
  verdictOn,
} from './tree-model.ts';

/** A call with its answer. */
export type Made = {
  call: Call;
  /** Why it was refused, if it was. */
  refusal: string | undefined;
  /** Of what it made. */
  id: number;
};

/** A copy is what its source was at one moment, and is put in its place at a later one. */
type Left = Made & { copied?: Snapshot };

/**
 * Tries the calls in every order.
 *
 * @param fits whether a tree at the end is the one that was found.
 * @returns the first such tree.
 */
export function inSomeOrder(
  tree: Tree,
  rights: Rights,
  left: readonly Left[],
  fits: (end: Tree) => boolean,
): Tree | undefined {
  if (left.length === 0) return fits(tree) ? tree : undefined;
  for (const [at, one] of left.entries()) {
    const others = left.toSpliced(at, 1);
    const next = stepOf(tree, rights, one);
    if (!next) continue;
    const remaining = next.later ? [...others, next.later] : others;
    const end = inSomeOrder(next.tree, rights, remaining, fits);
    if (end) return end;
  }
  return undefined;
}

/** What the call does as the next one; undefined if its answer would have been another. */
function stepOf(tree: Tree, rights: Rights, one: Left): { tree: Tree; later?: Left } | undefined {
  const { call, refusal, copied, id } = one;
  const { must, may } = verdictOn(tree, rights, copied ? placing(call, copied) : call);
  if (refusal !== undefined) {
    if ([...must, ...may].includes(refusal)) return { tree };
    // It may be refused when it is to be put in its place.
    if (call.do !== 'copy' || copied || must.length > 0) return undefined;
    return { tree, later: { ...one, copied: snapshot(tree, call.cog) } };
  }
  // Whether the name is taken counts when the copy is put in its place.
  const isFirst = call.do === 'copy' && !copied;
  if (must.some((why) => !isFirst || why !== '409 name_collision')) return undefined;
  if (call.do !== 'copy') return { tree: after(tree, call, id) };
  if (!copied) return { tree, later: { ...one, copied: snapshot(tree, call.cog) } };
  return { tree: placed(tree, copied, { ...call, made: id }) };
}

/** To put a copy in its place is refused like a new folder there. */
function placing(call: Call, { node }: Snapshot): Call {
  if (call.do !== 'copy') throw new Error('Only a copy has two moments.');
  return { do: 'create', by: call.by, cog: call.to, name: call.name ?? node.name };
}
