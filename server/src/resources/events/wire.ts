/** Events as clients see them: their text (https://html.spec.whatwg.org, section 9.2), and progress. */
import { readCounters } from '../../engine/kernel/counters.ts';
import { toldRun } from '../../engine/kernel/events.ts';
import { type Counters, endedOf } from '../../engine/kernel/state.ts';
import { shownProgress } from '../workflow-runs/runs.ts';
import type { Position } from './positions.ts';
import type { WatchedRun } from './queries.ts';

/** The name of an event, and its data: a value, or the JSON of one. */
export type Message = [event: string, data: object | { json: string }];

export function textOf(messages: readonly Message[]): Uint8Array {
  const blocks = messages.map(([event, data]) => {
    const json = 'json' in data ? data.json : JSON.stringify(data);
    return `event: ${event}\ndata: ${json}\n\n`;
  });
  return Buffer.from(blocks.join(''));
}

/** A comment. */
export const blank = Buffer.from(':\n\n');

/**
 * Where a client goes on that is cut after this: it has all events before it. An event of its own, and
 * without data, so clients note it and tell nobody.
 */
export const positionBlock = ({ text }: Position): Uint8Array => Buffer.from(`id: ${text}\n\n`);

/** How far watched runs are, as last told: of a large graph only what changed is told again. */
export class ToldRuns {
  /** Of each run, its nodes as they were told. */
  readonly #nodes = new Map<number, string[]>();

  /** The run, and how far all of it is. */
  whole(run: WatchedRun): Message[] {
    // Whoever begins to watch has seen this, and others may not: the next word is a whole one.
    this.#nodes.delete(run.id);
    const counts = readCounters(run.node_counts);
    const nodes = run.node_keys.map((key, at) => toldNode(key, counts[at] as Counters));
    return [
      ['run', toldRun(run)],
      ['progress', { ...shownProgress(run, counts), nodes }],
    ];
  }

  /** How far it is, with the nodes that are not as they were told. */
  progress(run: WatchedRun): Message[] {
    const counts = readCounters(run.node_counts);
    const before = this.#nodes.get(run.id) ?? [];
    const nodes = run.node_keys.map((key, at) => toldNode(key, counts[at] as Counters));
    const now = nodes.map((node) => JSON.stringify(node));
    this.#nodes.set(run.id, now);
    const changed = nodes.filter((_, at) => now[at] !== before[at]);
    return [['progress', { ...shownProgress(run, counts), nodes: changed }]];
  }

  clear(): void {
    this.#nodes.clear();
  }
}

/** How many node runs of a node are how. `expected` is null until its lanes are known. */
function toldNode(node_key: string, counters: Counters) {
  const { expected, begun, running, success, failure, cancelled } = counters;
  const { skipped_by_condition, skipped_upstream } = counters;
  return {
    node_key,
    expected,
    // What had not begun when a run was stopped has ended, and never began.
    queued: Math.max(0, begun - running - endedOf(counters)),
    ...{ running, success, failure, cancelled },
    skipped: skipped_by_condition + skipped_upstream,
  };
}
