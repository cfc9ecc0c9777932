/**
 * Events as clients see them: their text (https://html.spec.whatwg.org, section 9.2), and progress.
 */
import { readCounters } from '../../engine/kernel/counters.ts';
import { toldRun } from '../../engine/kernel/events.ts';
import { type Counters, endedOf } from '../../engine/kernel/state.ts';
import { shownProgress } from '../workflow-runs/runs.ts';
import type { Position } from './positions.ts';
import type { WatchedRun } from './queries.ts';

/** The name of an event, and its data: a value, or JSON text. */
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
 * The position from which a client resumes: it has received all events before it. Sent as an event
 * without data: clients store the id and dispatch nothing.
 */
export const positionBlock = ({ text }: Position): Uint8Array => Buffer.from(`id: ${text}\n\n`);

/** The progress last sent for watched runs: for a large graph only changes are sent. */
export class ToldRuns {
  /** The nodes of each run, as last sent. */
  readonly #nodes = new Map<number, string[]>();

  /** The run, and its complete progress. */
  whole(run: WatchedRun): Message[] {
    return [['run', toldRun(run)], this.completeProgress(run)];
  }

  /** The progress with all nodes, for streams that have not received every earlier one. */
  completeProgress(run: WatchedRun): Message {
    // Other streams may not have received this state, so the next progress must be complete.
    this.#nodes.delete(run.id);
    const counts = readCounters(run.node_counts);
    return ['progress', { ...shownProgress(run, counts), nodes: toldNodes(run, counts) }];
  }

  /** The progress, with only the nodes that changed since they were last sent. */
  progress(run: WatchedRun): Message {
    const counts = readCounters(run.node_counts);
    const before = this.#nodes.get(run.id) ?? [];
    const nodes = toldNodes(run, counts);
    const now = nodes.map((node) => JSON.stringify(node));
    this.#nodes.set(run.id, now);
    const changed = nodes.filter((_, at) => now[at] !== before[at]);
    return ['progress', { ...shownProgress(run, counts), nodes: changed }];
  }

  clear(): void {
    this.#nodes.clear();
  }
}

const toldNodes = (run: WatchedRun, counts: readonly Counters[]) =>
  run.node_keys.map((key, at) => toldNode(key, counts[at] as Counters));

/** Counts of a node's node runs by status. `expected` is null until its lanes are known. */
function toldNode(node_key: string, counters: Counters) {
  const { expected, begun, running, success, failure, cancelled } = counters;
  const { skipped_by_condition, skipped_upstream } = counters;
  return {
    node_key,
    expected,
    // Node runs that had not begun when the run was stopped have ended without beginning.
    queued: Math.max(0, begun - running - endedOf(counters)),
    ...{ running, success, failure, cancelled },
    skipped: skipped_by_condition + skipped_upstream,
  };
}
