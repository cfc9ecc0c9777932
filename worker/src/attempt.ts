/**
 * One attempt from order to report. The executor runs it; this sends its log and its start to the
 * server, keeps its progress for heartbeats, and reports how it ended or was stopped.
 */
import type { Client } from '@cogworks/sdk/client';
import type { WorkOrder } from '@cogworks/sdk/contract.gen';
import { reportOfError } from './attempt-error.ts';
import { openLog } from './attempt-log.ts';
import type { Process } from './enrol.ts';
import type { ExecutionHooks, Executor, Report } from './executor.ts';
import type { Log } from './log.ts';
import { withAllInputs } from './order-inputs.ts';
import { retryCall } from './retry.ts';

/** `abandon`: the server gave the work to another worker. `evicted`: the worker is ending. */
export type StopReason = 'cancel' | 'abandon' | 'evicted';

/** An attempt under way. */
export type Attempt = {
  order: WorkOrder;
  /** Resolves to its report, or to undefined if none is to be sent. Never rejects. */
  report: Promise<Report | undefined>;
  /** The program's own progress, from 0 to 1; undefined before the first. */
  fraction(): number | undefined;
  /** Why it was stopped, if it was. */
  stopReason(): StopReason | undefined;
  stop(reason: StopReason): void;
};

export type AttemptContext = {
  client: Client;
  identity: Process;
  executor: Executor;
  log: Log;
};

export function startAttempt(context: AttemptContext, order: WorkOrder): Attempt {
  const stopping = new AbortController();
  const { signal } = stopping;
  let fraction: number | undefined;
  const onProgress = (newest: number) => {
    fraction = newest;
  };
  return {
    order,
    report: execute(context, order, onProgress, signal).then((report) =>
      signal.aborted ? reportOfStopped(signal.reason as StopReason, report) : report,
    ),
    fraction: () => fraction,
    stopReason: () => (signal.aborted ? (signal.reason as StopReason) : undefined),
    stop: (reason) => stopping.abort(reason),
  };
}

/** Never rejects. */
async function execute(
  { client, identity, executor, log }: AttemptContext,
  order: WorkOrder,
  onProgress: ExecutionHooks['onProgress'],
  stop: AbortSignal,
): Promise<Report> {
  const path = { id: identity.id, attempt_id: order.attempt_id };
  const { lease_token } = order;
  const written = openLog(client, path, lease_token, secretsOf(order), stop);
  let saidStarted: Promise<unknown> = Promise.resolve();
  const hooks: ExecutionHooks = {
    // Not awaited: the program runs meanwhile.
    onStarted: () => {
      saidStarted = retryCall(() => client.reportStarted({ path, body: { lease_token } }), stop);
      saidStarted.catch(() => {});
    },
    onLog: (chunk) => written.write(chunk),
    onProgress,
    openUploads: (sizes, signal) => {
      const body = { lease_token, files: sizes.map((size_bytes) => ({ size_bytes })) };
      return retryCall(() => client.openUploads({ path, body, signal }), signal);
    },
  };
  const execution =
    order.more_inputs === undefined
      ? executor.execute(order, hooks, stop)
      : withAllInputs(client, path, order, stop).then((whole) =>
          executor.execute(whole, hooks, stop),
        );
  const report = await execution.catch((error: unknown) => {
    const failed = reportOfError(error);
    const { attempt_id } = order;
    log.info({ attempt_id, error_class: failed.error_class }, 'an attempt failed');
    return failed;
  });
  // The server charges from the start, so it must receive that before the report. The log is sent
  // even if the program failed to start.
  await Promise.allSettled([written.close(), saidStarted]);
  return withLastLine(report, written.lastLine());
}

/** Values to be masked in the log. */
const secretsOf = (order: WorkOrder) => [
  ...order.secrets,
  ...(order.registry ? [order.registry.password] : []),
];

/** The last line of output usually says why a program failed. */
const withLastLine = (report: Report, line: string | undefined): Report =>
  report.error_class === 'exit_nonzero' && line !== undefined
    ? { ...report, error_message: `${report.error_message}: ${line}` }
    : report;

/** The report of a stopped attempt; a success in spite of the stop remains a success. */
function reportOfStopped(reason: StopReason, report: Report): Report | undefined {
  if (reason === 'abandon') return undefined;
  if (report.status === 'success') return report;
  if (reason === 'cancel') return { status: 'cancelled' };
  return {
    status: 'failure',
    error_class: 'evicted',
    error_message: 'The worker was stopped and gave the work back.',
  };
}
