/**
 * Finds many keywords in a stream of symbols in one pass (Aho and Corasick, 1975). After each
 * symbol it knows how much of the stream may be the beginning of a keyword.
 */

/** Symbols are small numbers: bytes, or digits of an encoding. */
export type Automaton = {
  /** For each node of the keyword tree: the next node by symbol. Node 0 is the root. */
  next: Map<number, number>[];
  /** The longest suffix of this node's symbols that begins another keyword. */
  fallback: number[];
  depth: number[];
  /** Length of the longest keyword that ends here; 0 if none does. */
  found: number[];
  /** How many of the last symbols may begin an incomplete keyword. */
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
  // By increasing depth: a fallback is shorter, and so complete when it is used.
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
  /** `start` and `end` are the symbol's position in the stream. */
  push(symbol: number, start: number, end: number): void;
  /** Discards earlier symbols: no keyword continues here. */
  reset(): void;
  /** The position where an incomplete keyword may have begun; undefined if none may have. */
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
  // Nearly every symbol of a log begins no keyword, so this case must be fast.
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
