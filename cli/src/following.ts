/** Follows a run to its end and shows its progress. */
import type { WorkflowRun } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { watchRun, withAllFiles } from '@cogworks/sdk/runs';
import type { Cli } from './command.ts';
import { type Moment, runBlock, runLine } from './run-view.ts';
import { spinner } from './terminal.ts';
import { duration } from './words.ts';

/**
 * Shows a run until it ends. @returns the run with all of its files. If interrupted, it prints how
 * to keep watching or cancel the run.
 */
export async function followRun(cli: Cli, run_id: number): Promise<WorkflowRun> {
  try {
    return await withAllFiles(cli.client, await showRun(cli, run_id), cli.signal);
  } catch (error) {
    // A refusal, such as for a run that does not exist, leaves nothing to watch.
    if (!(error instanceof ApiError)) cli.screen.note(howToGoOn(run_id));
    throw error;
  }
}

const howToGoOn = (run_id: number) =>
  `Run ${run_id} is not stopped by this. Go on with: cogworks watch ${run_id}   Stop it with: cogworks cancel ${run_id}`;

/** @returns the ended run. */
export async function showRun(
  { client, screen, signal }: Cli,
  run_id: number,
): Promise<WorkflowRun> {
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  let moment: Moment | undefined;
  let lastLine = '';
  const redraw = () => {
    if (moment)
      screen.draw(runBlock({ ...moment, elapsed_ms: elapsed() }, screen.paint, spinner()));
  };
  using _ = screen.animate(redraw);
  try {
    for await (const now of watchRun(client, run_id, { signal })) {
      moment = { ...now, elapsed_ms: elapsed() };
      const line = runLine(moment);
      if (!screen.isLive && line !== lastLine) {
        screen.note(`${duration(moment.elapsed_ms).padStart(8)}  ${line}`);
      }
      lastLine = line;
      redraw();
    }
    if (!moment) throw new Error(`Nothing was told of run ${run_id}.`);
    return moment.run;
  } finally {
    screen.close();
  }
}
