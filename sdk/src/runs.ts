/** Waits for a run to end, and tells how far it is meanwhile. */
import type { Client } from './client.ts';
import { wait } from './wait.ts';

export type Progress = {
  progress_percentage: number;
  completed_nodes: number;
  total_nodes: number;
  current_node: string | null;
};

export type RunStatus =
  | 'queued'
  | 'running'
  | 'success'
  | 'partial_success'
  | 'failure'
  | 'cancelled';

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
export async function waitForRun<Run extends { status: RunStatus }>(
  client: Client,
  runId: number,
  { onProgress, signal, interval_ms = 1000 }: WaitOptions = {},
): Promise<Run> {
  let last = '';
  for (;;) {
    const run = await get<Run>(client, `/workflows/workflow-runs/${runId}`, signal);
    if (onProgress) {
      const path = `/workflows/workflow-runs/${runId}/progress`;
      const progress = await get<Progress>(client, path, signal);
      const seen = JSON.stringify([run.status, progress]);
      if (seen !== last) onProgress(progress, run.status);
      last = seen;
    }
    if (isTerminal(run.status)) return run;
    await wait(interval_ms, signal);
  }
}

async function get<T>(client: Client, path: string, signal: AbortSignal | undefined): Promise<T> {
  return (await (await client.send({ method: 'GET', path, signal })).json()) as T;
}
