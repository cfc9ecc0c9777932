/** A run in the terminal, with a row per node. Pure; following.ts fetches and draws. */
import type { NodeRun, Progress, WorkflowRun } from '@cogworks/sdk/contract.gen';
import type { Paint } from './terminal.ts';
import { bar, duration } from './words.ts';

type Status = NodeRun['status'];
export type Moment = { run: WorkflowRun; progress: Progress; elapsed_ms: number };

/** More marks do not fit on a line; then only counts are shown. */
const mostMarks = 24;

export function runBlock(
  { run, progress, elapsed_ms }: Moment,
  paint: Paint,
  spin: string,
): string[] {
  const { progress_percentage: percentage } = progress;
  const nodes = [...lanesOf(run)];
  const width = Math.max(0, ...nodes.map(([key]) => key.length));
  return [
    `${paint('bold', `Run ${run.id}`)}  ${bar(percentage / 100, paint)}  ${percentage.toFixed(1)} %  ${duration(elapsed_ms)}`,
    ...nodes.map(([key, lanes]) => {
      const shown = lanes.length > mostMarks ? [] : lanes;
      const marks = shown.map(({ status }) => markOf(status, paint, spin)).join(' ');
      return `  ${key.padEnd(width)}  ${marks}${marks && '  '}${paint('dim', countsOf(lanes))}`;
    }),
  ];
}

/**
 * The same in one line, for the nodes that have begun; without the time, so that lines can be
 * compared.
 */
export function runLine({ run, progress }: Pick<Moment, 'run' | 'progress'>): string {
  const nodes = [...lanesOf(run)]
    .filter(([, lanes]) => lanes.some(({ status }) => status !== 'pending'))
    .map(([key, lanes]) => `${key} ${countsOf(lanes)}`);
  const percentage = `${progress.progress_percentage.toFixed(1)} %`;
  return `${percentage.padStart(7)}  ${nodes.join(' · ') || run.status}`;
}

/** The node runs of each node, in the server's order. */
export const lanesOf = (run: WorkflowRun) => Map.groupBy(run.node_runs, ({ node_key }) => node_key);

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

/** "2 of 4, 1 failed, 1 waiting: no worker is online". */
export function countsOf(lanes: NodeRun[]): string {
  const amount = (...wanted: Status[]) =>
    lanes.filter(({ status }) => wanted.includes(status)).length;
  const [failed, skipped] = [amount('failure'), amount('skipped', 'cancelled')];
  const [running, queued] = [amount('running'), amount('queued')];
  const reason = lanes.find(
    ({ status, queue_reason }) => status === 'queued' && queue_reason,
  )?.queue_reason;
  return [
    `${amount('success')} of ${lanes.length}`,
    failed > 0 && `${failed} failed`,
    skipped > 0 && `${skipped} skipped`,
    running > 0 && `${running} running`,
    queued > 0 && `${queued} waiting${reason ? `: ${reason}` : ''}`,
  ]
    .filter(Boolean)
    .join(', ');
}
