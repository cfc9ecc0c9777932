import type { Fault } from '../types.ts';

/** @param path the keys along a cycle, the first one repeated at the end. */
export function cycleFault(path: string[]): Fault {
  const [first = ''] = path;
  return {
    code: 'cycle',
    message: `These nodes wait for one another: ${shorten(path).join(' → ')}.`,
    node_key: first,
    path,
  };
}

/** `path` has the complete cycle; a message of 2,000 keys would help nobody. */
function shorten(path: string[]): string[] {
  return path.length <= 12 ? path : [...path.slice(0, 8), '…', ...path.slice(-3)];
}
