/** Follows a run to its end and shows how far it is. */
import type { WorkflowRun } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { isTerminal } from '@cogworks/sdk/runs';
import { wait } from '@cogworks/sdk/wait';
import type { Cli } from './command.ts';
import { type Moment, runBlock, runLine } from './run-view.ts';
import { spinner } from './terminal.ts';
import { duration } from './words.ts';

/** Two requests each time: often at first, then well below the limit of 200 a minute. */
const quick_ms = 500;
const calm_ms = 1500;
const quickUntil_ms = 15_000;

/** Shows a run until it ends. When interrupted it says how to go on watching, or stop the run. */
export async function followRun(cli: Cli, run_id: number): Promise<WorkflowRun> {
  try {
    return await showRun(cli, run_id);
  } catch (error) {
    // A refusal, such as for a run that does not exist, leaves nothing to go on with.
    if (!(error instanceof ApiError)) cli.screen.note(howToGoOn(run_id));
    throw error;
  }
}

const howToGoOn = (run_id: number) =>
  `Run ${run_id} is not stopped by this. Go on with: cogworks watch ${run_id}   Stop it with: cogworks cancel ${run_id}`;

/** @returns the run as it ended. */
export async function showRun(
  { client, screen, signal }: Cli,
  run_id: number,
): Promise<WorkflowRun> {
  const path = { run_id };
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
    for (;;) {
      const run = await client.getRun({ path, signal });
      // Requested after the run, so that an ended run is shown with its last progress.
      const progress = await client.getRunProgress({ path, signal });
      moment = { run, progress, elapsed_ms: elapsed() };
      const line = runLine(moment);
      if (!screen.isLive && line !== lastLine) {
        screen.note(`${duration(moment.elapsed_ms).padStart(8)}  ${line}`);
      }
      lastLine = line;
      redraw();
      if (isTerminal(run.status)) return run;
      await wait(moment.elapsed_ms < quickUntil_ms ? quick_ms : calm_ms, signal);
    }
  } finally {
    screen.close();
  }
}
