/** Follows a run to its end and shows how far it is. */
import type { Client } from '@cogworks/sdk/client';
import type { WorkflowRun } from '@cogworks/sdk/contract.gen';
import { isTerminal } from '@cogworks/sdk/runs';
import { wait } from '@cogworks/sdk/wait';
import { type Moment, runBlock, runLine } from './run-view.ts';
import { spinner, type Terminal } from './terminal.ts';

/** Two requests a time: often at first, and well within 200 a minute when it takes longer. */
const quick_ms = 500;
const calm_ms = 1500;
const quickUntil_ms = 15_000;

export async function watchRun(
  client: Client,
  terminal: Terminal,
  run_id: number,
): Promise<WorkflowRun> {
  const began = performance.now();
  let moment: Moment | undefined;
  let lastLine = '';
  const redraw = () => {
    if (!moment) return;
    const elapsed_ms = performance.now() - began;
    terminal.draw(runBlock({ ...moment, elapsed_ms }, terminal.paint, spinner()));
  };
  const timer = terminal.isLive ? setInterval(redraw, 90) : undefined;
  try {
    for (;;) {
      const progress = await client.getRunProgress({ path: { run_id } });
      const run = await client.getRun({ path: { run_id } });
      const hasEnded = isTerminal(run.status);
      const elapsed_ms = performance.now() - began;
      // The run may have ended between both questions; then the first answer is too old.
      const latest = hasEnded ? await client.getRunProgress({ path: { run_id } }) : progress;
      moment = { run, progress: latest, elapsed_ms };

      const line = runLine({ ...moment, elapsed_ms: 0 });
      if (!terminal.isLive && line !== lastLine) terminal.say(runLine(moment));
      lastLine = line;
      if (hasEnded) return run;
      await wait(elapsed_ms < quickUntil_ms ? quick_ms : calm_ms);
    }
  } finally {
    clearInterval(timer);
    redraw();
    terminal.close();
  }
}
