/** Watches a run to its end, using its events. */
import { anyOf } from './any-of.ts';
import type { Client } from './client.ts';
import type { Progress, WorkflowRun } from './contract.gen.ts';
import { followRun } from './events.ts';
import { listAll } from './pages.ts';
import {
  hasAllNodeRuns,
  type RunEvent,
  type ToldNode,
  withEvent,
  withNodes,
} from './run-events.ts';
import { wait } from './wait.ts';

export type RunStatus = WorkflowRun['status'];

/** Each status of the contract, and whether it is final. */
const isFinal: Record<RunStatus, boolean> = {
  queued: false,
  running: false,
  success: true,
  partial_success: true,
  failure: true,
  cancelled: true,
};

export const runStatuses = Object.keys(isFinal) as RunStatus[];

/** Whether the status is final; unknown statuses of later releases count as final. */
export const isTerminal = (status: RunStatus): boolean => isFinal[status] ?? true;

/**
 * A run, its progress, and the counts of all its nodes, in topological order. Only `nodes` counts
 * all node runs: the run includes no more than its first ones.
 */
export type Moment = { run: WorkflowRun; progress: Progress; nodes: readonly ToldNode[] };

export type WatchOptions = {
  signal?: AbortSignal | undefined;
  /** Receives all events, including that a log has grown. */
  onEvent?: ((event: RunEvent) => void) | undefined;
};

/** Minimum interval between full reads, which events may request repeatedly. */
const betweenReads_ms = 1000;
/** Queue reasons are not part of events; they are read once no event has come for this long. */
const quiet_ms = 2000;

/**
 * Yields a run whenever it has changed, and finally its ended state. The run is read at the
 * beginning, at the end, and when events request it; everything else is derived from events.
 *
 * @throws as `followRun`, and ApiError if the run is gone.
 */
export async function* watchRun(
  client: Client,
  run_id: number,
  { signal, onEvent }: WatchOptions = {},
): AsyncGenerator<Moment> {
  let run: WorkflowRun | undefined;
  let progress: Progress | undefined;
  let nodes: readonly ToldNode[] = [];
  let isStale = true;
  let hasAskedWhy = false;
  let hasReadEnd = false;
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async () => {
    await wait(Math.max(0, readAt + betweenReads_ms - performance.now()), signal);
    readAt = performance.now();
    isStale = false;
    const found = await client.getRun({ path: { run_id }, signal });
    hasReadEnd = isTerminal(found.status);
    return found;
  };

  const events = followRun(client, run_id, { signal });
  try {
    for (let next = events.next(); ; ) {
      if (run && progress && !hasAskedWhy && waitsUntold(run) && (await isQuiet(next, signal))) {
        hasAskedWhy = true;
        run = await read();
        yield { run, progress, nodes };
      }
      const { value, done } = await next;
      if (done) return;
      hasAskedWhy = false;
      onEvent?.(value);
      const { event, data } = value;
      if (event === 'reset') isStale = true;
      if (run) run = withEvent(run, value);
      if (event === 'progress') {
        const { nodes: changed, ...fields } = data;
        progress = fields;
        nodes = withNodes(nodes, changed);
        if (!run || isStale || !hasAllNodeRuns(run, nodes)) run = await read();
        yield { run, progress, nodes };
      }
      if (event === 'end' && !hasReadEnd) {
        readAt = Number.NEGATIVE_INFINITY;
        run = await read();
        if (progress) yield { run, progress, nodes };
      }
      next = events.next();
    }
  } finally {
    await events.return(undefined);
  }
}

const waitsUntold = ({ node_runs }: WorkflowRun) =>
  node_runs.some(({ status, queue_reason }) => status === 'queued' && queue_reason === undefined);

async function isQuiet(next: Promise<unknown>, signal: AbortSignal | undefined) {
  const over = new AbortController();
  const either = anyOf(over.signal, signal);
  const quiet = wait(quiet_ms, either).then(
    () => true,
    () => false,
  );
  const came = next.then(
    () => false,
    () => false,
  );
  return Promise.race([quiet, came]).finally(() => over.abort());
}

export type WaitOptions = {
  /** Called when progress or status has changed. */
  onProgress?: ((progress: Progress, status: RunStatus) => void) | undefined;
  signal?: AbortSignal | undefined;
};

/** @returns the ended run; also if it failed, see its `status`. */
export async function waitForRun(
  client: Client,
  run_id: number,
  { onProgress, signal }: WaitOptions = {},
): Promise<WorkflowRun> {
  let status: RunStatus | undefined;
  let told = '';
  for await (const { event, data } of followRun(client, run_id, { signal })) {
    if (event === 'run') status = data.status;
    if (event !== 'progress' || !status) continue;
    const { nodes: _, ...progress } = data;
    const now = JSON.stringify([status, progress]);
    if (now !== told) onProgress?.(progress, status);
    told = now;
  }
  return client.getRun({ path: { run_id }, signal });
}

/** The run with all of its files, if it includes only the first ones. */
export async function withAllFiles(
  client: Client,
  run: WorkflowRun,
  signal?: AbortSignal,
): Promise<WorkflowRun> {
  if (!run.run_files_total) return run;
  const args = { path: { run_id: run.id }, query: { limit: 1000 }, signal };
  const run_files = await listAll(client, 'listRunFiles', args);
  const { run_files_total: _, ...rest } = run;
  return { ...rest, run_files };
}
