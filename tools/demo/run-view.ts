/** A run in the terminal: one row per node, one mark per file. Pure; watch.ts asks and draws. */
import { countsOf, lanesOf, type Moment, markOf } from '@cogworks/cli/run-view';
import { type Paint, seconds } from './terminal.ts';

export type { Moment };

const barWidth = 36;

export function runBlock({ run, progress, elapsed_ms }: Moment, paint: Paint, spin: string) {
  const { progress_percentage: percentage, current_node } = progress;
  const filled = Math.round((percentage / 100) * barWidth);
  const bar = paint('cyan', '━'.repeat(filled)) + paint('dim', '─'.repeat(barWidth - filled));
  const at = current_node ? `  at ${current_node}` : '';
  const nodes = [...lanesOf(run)];
  const width = Math.max(...nodes.map(([key]) => key.length));
  return [
    '',
    `  ${paint('bold', `Run ${run.id}`)}  ${bar}  ${percentage.toFixed(1)} %  ${seconds(elapsed_ms)}${paint('dim', at)}`,
    '',
    ...nodes.map(([key, lanes]) => {
      const marks = lanes.map(({ status }) => markOf(status, paint, spin)).join(' ');
      return `    ${key.padEnd(width)}  ${marks}  ${paint('dim', countsOf(lanes))}`;
    }),
  ];
}

/** The same in one line, of the nodes that have begun. */
export function runLine({ run, progress, elapsed_ms }: Moment): string {
  const nodes = [...lanesOf(run)]
    .filter(([, lanes]) => lanes.some(({ status }) => status !== 'pending'))
    .map(([key, lanes]) => `${key} ${countsOf(lanes)}`);
  const percentage = `${progress.progress_percentage.toFixed(1)} %`;
  return `  ${seconds(elapsed_ms).padStart(7)}  ${percentage.padStart(7)}  ${nodes.join(' · ') || run.status}`;
}
