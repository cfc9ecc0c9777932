/** Waits for a run to end, and reports its progress meanwhile. */
import type { Client } from './client.ts';
import type { Progress, WorkflowRun } from './contract.gen.ts';
import { wait } from './wait.ts';

export type RunStatus = WorkflowRun['status'];

/** Each status of the contract, and whether a run of that status stays as it is. */
const isFinal: Record<RunStatus, boolean> = {
  queued: false,
  running: false,
  success: true,
  partial_success: true,
  failure: true,
  cancelled: true,
};

export const runStatuses = Object.keys(isFinal) as RunStatus[];

/** Whether a run of this status stays as it is; one that a later release added does. */
export const isTerminal = (status: RunStatus): boolean => isFinal[status] ?? true;

export type WaitOptions = {
  /** Called when progress or status changed. */
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
