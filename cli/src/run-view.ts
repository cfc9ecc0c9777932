/** A run in the terminal, with a row per node. Pure; following.ts fetches and draws. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import type { ToldNode } from '@cogworks/sdk/run-events';
import type { Moment as ToldMoment } from '@cogworks/sdk/runs';
import type { Paint } from './terminal.ts';
import { bar, duration } from './words.ts';

type Status = NodeRun['status'];
export type Moment = ToldMoment & { elapsed_ms: number };

/** More marks do not fit on a line; then only counts are shown. */
const mostMarks = 24;

export function runBlock(
  { run, progress, nodes, elapsed_ms }: Moment,
  paint: Paint,
  spin: string,
): string[] {
  const { progress_percentage: percentage } = progress;
  const lanes = lanesOf(run);
  const known = nodes.filter(({ expected }) => expected);
  const width = Math.max(0, ...known.map(({ node_key }) => node_key.length));
  return [
    `${paint('bold', `Run ${run.id}`)}  ${bar(percentage / 100, paint)}  ${percentage.toFixed(1)} %  ${duration(elapsed_ms)}`,
    ...known.map((node) => {
      const own = lanes.get(node.node_key) ?? [];
      const shown = own.length > mostMarks ? [] : own;
      const marks = shown.map(({ status }) => markOf(status, paint, spin)).join(' ');
      return `  ${node.node_key.padEnd(width)}  ${marks}${marks && '  '}${paint('dim', countsOf(node, own))}`;
    }),
  ];
}

/**
 * The same in one line, for the nodes that have begun; without the time, so that lines can be
 * compared.
 */
export function runLine({ run, progress, nodes }: ToldMoment): string {
  const lanes = lanesOf(run);
  const begun = nodes
    .filter(({ node_key: _, expected: __, ...counts }) => Object.values(counts).some(Boolean))
    .map((node) => `${node.node_key} ${countsOf(node, lanes.get(node.node_key) ?? [])}`);
  const percentage = `${progress.progress_percentage.toFixed(1)} %`;
  return `${percentage.padStart(7)}  ${begun.join(' · ') || run.status}`;
}

/** The node runs of each node that the run includes: not all, if there are very many. */
const lanesOf = ({ node_runs }: ToldMoment['run']) =>
  Map.groupBy(node_runs, ({ node_key }) => node_key);

/** The mark of one node run; `spin` is the frame of a running one. */
export function markOf(status: Status, paint: Paint, spin: string): string {
  switch (status) {
    case 'success':
      return paint('green', '✓');
    case 'failure':
      return paint('red', '✗');
    case 'running':
      return paint('cyan', spin);
    case 'cancelled':
    case 'skipped':
      return paint('dim', '–');
    default:
      return paint('dim', '·');
  }
}

/** "2 of 4, 1 failed, 1 waiting: no worker is online". Some of the lanes suffice for the reason. */
export function countsOf(node: ToldNode, lanes: readonly NodeRun[]): string {
  const { expected, success, failure, running, queued } = node;
  const skipped = node.skipped + node.cancelled;
  const reason = lanes.find(
    ({ status, queue_reason }) => status === 'queued' && queue_reason,
  )?.queue_reason;
  return [
    `${success} of ${expected ?? 0}`,
    failure > 0 && `${failure} failed`,
    skipped > 0 && `${skipped} skipped`,
    running > 0 && `${running} running`,
    queued > 0 && `${queued} waiting${reason ? `: ${reason}` : ''}`,
  ]
    .filter(Boolean)
    .join(', ');
}
