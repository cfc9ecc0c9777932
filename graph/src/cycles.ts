import { childrenOf } from './order.ts';
import type { Graph } from './types.ts';

/**
 * At least one cycle of every strongly connected component, as the keys along it with the first one
 * repeated at the end. Not every cycle: there can be exponentially many, and users fix one at a
 * time. Iterative, since a chain of thousands of nodes would overflow the call stack.
 */
export function findCycles(graph: Graph): string[][] {
  const children = childrenOf(graph);
  const cycles: string[][] = [];
  const reported = new Set<string>();
  const finished = new Set<string>();

  for (const start of children.keys()) {
    if (finished.has(start)) continue;
    const trail = [{ key: start, next: 0 }];
    const depths = new Map([[start, 0]]);
    for (let step = trail.at(-1); step; step = trail.at(-1)) {
      const child = children.get(step.key)?.[step.next++];
      if (child === undefined) {
        finished.add(step.key);
        depths.delete(step.key);
        trail.pop();
        continue;
      }

      const depth = depths.get(child);
      if (depth === undefined) {
        if (finished.has(child)) continue;
        depths.set(child, trail.length);
        trail.push({ key: child, next: 0 });
      } else if (!reported.has(step.key) && !reported.has(child)) {
        const round = trail.slice(depth).map(({ key }) => key);
        for (const key of round) reported.add(key);
        cycles.push([...round, child]);
      }
    }
  }
  return cycles;
}
