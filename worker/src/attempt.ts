/**
 * One attempt from order to report: place the inputs, pull the image, run the container, collect
 * and upload the outputs, report. Whatever happens, its container and folders are gone after it.
 */
import { join } from 'node:path';
import {
  parameterEnvironmentName,
  renderCommand,
  stemOf,
  TemplateError,
} from '@cogworks/graph/template';
import type { Client } from '@cogworks/sdk/client';
import { openLog } from './attempt-log.ts';
import {
  makePortFolders,
  makeWorkspace,
  placeInputs,
  removeWorkspace,
  writeParams,
} from './containers/inputs.ts';
import { collectOutputs } from './containers/outputs.ts';
import {
  type ContainerEngine,
  ContainerError,
  type PlacedInput,
  type RunResult,
  type Workspace,
} from './containers/types.ts';
import type { Process } from './enrol.ts';
import type { Log } from './log.ts';
import { patiently } from './patience.ts';
import { type Report, reportUntilHeard } from './report.ts';
import { aFewAtOnce, fetchInput, TransferError, uploadOutputs } from './transfer.ts';

export type Order = Exclude<Awaited<ReturnType<Client['acquireWork']>>, null | undefined>[number];

export type StopReason = 'cancel' | 'abandon' | 'evicted';

/** An attempt under way. */
export type Held = {
  order: Order;
  /** Resolves when it has been reported, or needs no report; never rejects. */
  ended: Promise<void>;
  /** Of the container's own progress, from 0 to 1; undefined while it has said nothing. */
  fraction(): number | undefined;
  stop(reason: StopReason): void;
};

export type AttemptContext = {
  client: Client;
  identity: Process;
  engine: ContainerEngine;
  stateDir: string;
  log: Log;
};

export function runAttempt(context: AttemptContext, order: Order): Held {
  const stopping = new AbortController();
  let fraction: number | undefined;
  const onProgress = (done: number, total: number) => {
    if (total > 0) fraction = Math.min(1, Math.max(0, done / total));
  };
  const ended = toTheEnd(context, order, stopping.signal, onProgress).catch((error: unknown) => {
    context.log('error', 'an attempt could not be reported', {
      attempt_id: order.attempt_id,
      error: String(error),
    });
  });
  return { order, ended, fraction: () => fraction, stop: (reason) => stopping.abort(reason) };
}

async function toTheEnd(
  context: AttemptContext,
  order: Order,
  stop: AbortSignal,
  onProgress: (done: number, total: number) => void,
) {
  const { log, stateDir, engine } = context;
  const root = join(stateDir, 'attempts', String(order.attempt_id));
  const places = { root, private_root: join(engine.private_dir, `attempt-${order.attempt_id}`) };
  let report: Report;
  try {
    await removeWorkspace(places);
    const workspace = await makeWorkspace(root, places.private_root);
    report = await execute(context, order, workspace, stop, onProgress);
  } catch (error) {
    report = failureOf(error);
    log('info', 'an attempt failed', {
      attempt_id: order.attempt_id,
      error_class: report.error_class,
    });
  }
  if (stop.aborted) report = stoppedReport(stop.reason as StopReason, report);
  if (stop.reason !== 'abandon') await reportUntilHeard(context, order, report, stop);
  await removeWorkspace(places).catch((error: unknown) =>
    log('warn', 'a folder stayed', { root, error: String(error) }),
  );
}

async function execute(
  context: AttemptContext,
  order: Order,
  workspace: Workspace,
  stop: AbortSignal,
  onProgress: (done: number, total: number) => void,
): Promise<Report> {
  const { client, engine, identity } = context;
  const attempt = { id: identity.id, attempt_id: order.attempt_id };
  // The image and the inputs come from different places: both at once.
  const [image, placed] = await bothOrNeither(
    (signal) => engine.pull(order.image, order.registry ?? null, signal),
    (signal) => placeAll(order, workspace, signal),
    stop,
  );
  const { lease_token } = order;
  const written = openLog(client, attempt, lease_token, secretsOf(order), stop);
  let saidStarted: Promise<unknown> = Promise.resolve();
  const running = engine.run(
    {
      name: `cogworks-${order.attempt_id}-${order.lease_token.slice(0, 8)}`,
      image_id: image.image_id,
      command: commandOf(order, placed),
      env: { ...order.env, ...parameterEnvironment(order.params) },
      run_id: String(order.run_id),
      attempt_id: String(order.attempt_id),
      workspace,
      resources: order.resources,
      timeout_seconds: order.timeout_seconds,
      network: order.network,
    },
    {
      // Not waited for here: the container does not stand still for a message.
      onStarted: () => {
        const body = { lease_token };
        saidStarted = patiently(() => client.reportStarted({ path: attempt, body }), stop);
        saidStarted.catch(() => {});
      },
      onOutput: (chunk) => written.write(chunk),
      onProgress,
    },
    stop,
  );
  // What the container took is counted from its start, so that is said before its end is; and
  // what it wrote is told even if it came to no proper end.
  const result = await running.finally(() => Promise.allSettled([written.close(), saidStarted]));
  return stop.aborted
    ? { status: 'cancelled' }
    : outcomeOf(context, order, workspace, result, written.lastLine(), stop);
}

/** When one fails the other is aborted, and nothing goes on in the background after it. */
async function bothOrNeither<A, B>(
  a: (signal: AbortSignal) => Promise<A>,
  b: (signal: AbortSignal) => Promise<B>,
  stop: AbortSignal,
): Promise<[A, B]> {
  const failing = new AbortController();
  const signal = AbortSignal.any([stop, failing.signal]);
  let failure: { error: unknown } | undefined;
  const note = (error: unknown) => {
    failure ??= { error };
    failing.abort();
    return undefined;
  };
  const [one, other] = await Promise.all([a(signal).catch(note), b(signal).catch(note)]);
  if (failure) throw failure.error;
  return [one as A, other as B];
}

async function placeAll(order: Order, workspace: Workspace, stop: AbortSignal) {
  const placed = placeInputs(workspace, order.inputs);
  await makePortFolders(
    workspace,
    order.input_ports.map((port) => port.name),
  );
  await writeParams(workspace, order.params);
  // A few at a time: a gather of a thousand files should not open a thousand connections.
  await aFewAtOnce(8, placed.values(), stop, fetchInput);
  return placed;
}

function commandOf(order: Order, placed: PlacedInput[]): string[] {
  const inputs: Record<string, string | null> = {};
  for (const { name, cardinality } of order.input_ports) {
    const first = placed.find(({ input }) => input.port === name);
    inputs[name] =
      cardinality === 'many' ? `/data/inputs/${name}` : (first?.container_path ?? null);
    if (cardinality === 'one' && !first) {
      throw new ContainerError(
        'bad_params',
        `There is no file for the input ${name}: the node before it made none.`,
      );
    }
  }
  const { file } = order;
  return renderCommand(order.command, {
    params: order.params,
    vars: order.variables,
    inputs,
    run: { id: order.run_id },
    ...(file ? { file: { name: file.name, stem: stemOf(file.name) } } : {}),
  });
}

function parameterEnvironment(params: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      parameterEnvironmentName(name),
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/** What must not show in the log, should the program write it. */
const secretsOf = (order: Order) => [
  ...order.secrets,
  ...(order.registry ? [order.registry.password] : []),
];

async function outcomeOf(
  { client, identity }: AttemptContext,
  order: Order,
  workspace: Workspace,
  result: RunResult,
  lastLine: string | undefined,
  stop: AbortSignal,
): Promise<Report> {
  const code = result.exit_code === null ? {} : { exit_code: result.exit_code };
  if (result.timed_out) {
    return {
      status: 'failure',
      ...code,
      error_class: 'timeout',
      error_message: `It ran longer than ${order.timeout_seconds} s.`,
    };
  }
  if (result.oom_killed) {
    return {
      status: 'failure',
      ...code,
      error_class: 'oom',
      error_message: `exit code ${result.exit_code} (out of memory, it had ${order.resources.memory_mb} MB)`,
    };
  }
  if (result.exit_code !== 0) {
    return {
      status: 'failure',
      ...code,
      error_class: 'exit_nonzero',
      error_message: `exit code ${result.exit_code}${lastLine === undefined ? '' : `: ${lastLine}`}`,
    };
  }
  try {
    const files = await collectOutputs(workspace.outputs, order.outputs);
    const attempt = { id: identity.id, attempt_id: order.attempt_id };
    const outputs = await uploadOutputs(client, attempt, order.lease_token, files, stop);
    return { status: 'success', exit_code: 0, outputs };
  } catch (error) {
    // The program itself did well, and whoever looks for the fault is told so.
    return { ...failureOf(error), exit_code: 0 };
  }
}

function failureOf(error: unknown): Report {
  if (error instanceof ContainerError || error instanceof TransferError) {
    return { status: 'failure', error_class: error.error_class, error_message: error.message };
  }
  if (error instanceof TemplateError) {
    return { status: 'failure', error_class: 'bad_params', error_message: error.message };
  }
  const message = error instanceof Error ? error.message : String(error);
  const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC';
  return {
    status: 'failure',
    error_class: isFull ? 'disk_full' : 'infrastructure',
    error_message: message.slice(0, 2000),
  };
}

/** What is reported of an attempt that was stopped; one that had just succeeded stays a success. */
function stoppedReport(reason: StopReason, report: Report): Report {
  if (report.status === 'success') return report;
  if (reason === 'cancel') return { status: 'cancelled' };
  return {
    status: 'failure',
    error_class: 'evicted',
    error_message: 'The worker was stopped and gave the work back.',
  };
}
