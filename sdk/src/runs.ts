/** Waits for a run to end, and tells how far it is meanwhile. */
import type { Client } from './client.ts';
import type { Progress, WorkflowRun } from './contract.gen.ts';
import { wait } from './wait.ts';

export type RunStatus = WorkflowRun['status'];

/** Whether a run of this status stays as it is. */
export const isTerminal = (status: RunStatus): boolean =>
  status !== 'queued' && status !== 'running';

export type WaitOptions = {
  /** Called when something moved. */
  onProgress?: ((progress: Progress, status: RunStatus) => void) | undefined;
  signal?: AbortSignal | undefined;
  interval_ms?: number | undefined;
};

/** @returns the run as it ended; also when it failed, which its `status` tells. */
export async function waitForRun(
  client: Client,
  run_id: number,
  { onProgress, signal, interval_ms = 1000 }: WaitOptions = {},
): Promise<WorkflowRun> {
  let last = '';
  for (;;) {
    const run = await client.getRun({ path: { run_id }, signal });
    if (onProgress) {
      const progress = await client.getRunProgress({ path: { run_id }, signal });
      const seen = JSON.stringify([run.status, progress]);
      if (seen !== last) onProgress(progress, run.status);
      last = seen;
    }
    if (isTerminal(run.status)) return run;
    await wait(interval_ms, signal);
  }
}
