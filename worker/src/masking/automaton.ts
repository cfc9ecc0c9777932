/**
 * Finds many keywords in a stream of symbols in one pass, however many there are (Aho and Corasick,
 * 1975), and knows after each symbol what of the stream may still be the beginning of one.
 */

/** Symbols are small numbers: bytes, or the digits of a coding. */
export type Automaton = {
  /** Per node of the tree of all keywords: where each symbol leads. Node 0 is the root. */
  next: Map<number, number>[];
  /** The longest end of this node's symbols that begins another keyword. */
  fallback: number[];
  depth: number[];
  /** Length of the longest keyword that ends here; 0 for none. */
  found: number[];
  /** How many of the last symbols may begin a keyword that has not ended yet. */
  open: number[];
  longest: number;
};

export function automatonOf(keywords: readonly Iterable<number>[]): Automaton {
  const tree: Automaton = {
    next: [new Map()],
    fallback: [0],
    depth: [0],
    found: [0],
    open: [0],
    longest: 0,
  };
  for (const keyword of keywords) add(tree, keyword);
  // By growing depth, so that a fallback, which is shorter, is complete when it is used.
  const nodes = [0];
  for (const node of nodes) {
    for (const [symbol, child] of tree.next[node] ?? []) {
      const fallback = node === 0 ? 0 : step(tree, tree.fallback[node] ?? 0, symbol);
      tree.fallback[child] = fallback;
      tree.found[child] ||= tree.found[fallback] ?? 0;
      const isEnd = tree.next[child]?.size === 0;
      tree.open[child] = (isEnd ? tree.open[fallback] : tree.depth[child]) ?? 0;
      nodes.push(child);
    }
  }
  return tree;
}

function add(tree: Automaton, keyword: Iterable<number>): void {
  let node = 0;
  let length = 0;
  for (const symbol of keyword) {
    length += 1;
    let child = tree.next[node]?.get(symbol);
    if (child === undefined) {
      child = tree.next.push(new Map()) - 1;
      tree.depth[child] = length;
      tree.found[child] = 0;
      tree.next[node]?.set(symbol, child);
    }
    node = child;
  }
  if (length === 0) return;
  tree.found[node] = length;
  tree.longest = Math.max(tree.longest, length);
}

function step({ next, fallback }: Automaton, from: number, symbol: number): number {
  for (let node = from; ; node = fallback[node] ?? 0) {
    const child = next[node]?.get(symbol);
    if (child !== undefined) return child;
    if (node === 0) return 0;
  }
}

export type Search = {
  /** `start` and `end` say where in the stream the symbol was written. */
  push(symbol: number, start: number, end: number): void;
  /** Forgets the symbols before: no keyword goes on here. */
  reset(): void;
  /** Where a keyword may have begun that has not ended yet; undefined where none may. */
  openSince(): number | undefined;
};

export function search(
  automaton: Automaton,
  onFound: (start: number, end: number) => void,
): Search {
  let node = 0;
  let count = 0;
  const starts = new Float64Array(Math.max(1, automaton.longest));
  const startOf = (back: number) => starts[(count - back) % starts.length];
  // Nearly every symbol of a log begins no keyword, and must cost next to nothing.
  const first = new Int32Array(256);
  for (const [symbol, child] of automaton.next[0] ?? []) first[symbol] = child;
  return {
    push: (symbol, start, end) => {
      node = node === 0 ? (first[symbol] ?? 0) : step(automaton, node, symbol);
      if (node === 0) return;
      starts[count % starts.length] = start;
      count += 1;
      const length = automaton.found[node] ?? 0;
      if (length > 0) onFound(startOf(length) ?? 0, end);
    },
    reset: () => {
      node = 0;
    },
    openSince: () => {
      const open = automaton.open[node] ?? 0;
      return open === 0 ? undefined : startOf(open);
    },
  };
}
