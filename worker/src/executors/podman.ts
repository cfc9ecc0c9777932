/**
 * Runs each attempt as a container of this machine's podman: creates folders, fetches inputs, pulls
 * the image, runs the program, uploads outputs. In all cases container and folders are removed
 * afterwards.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { WorkOrder } from '@cogworks/sdk/contract.gen';
import { reportOfError } from '../attempt-error.ts';
import { machineCapacity } from '../capacity.ts';
import { forEachParallel, inParallel } from '../concurrency.ts';
import { openEngine } from '../containers/engine.ts';
import {
  makePortFolders,
  makeWorkspace,
  placeInputs,
  removeWorkspace,
  writeParams,
} from '../containers/inputs.ts';
import { collectOutputs } from '../containers/outputs.ts';
import type { ContainerEngine, RunResult, Workspace } from '../containers/types.ts';
import type { ExecutionHooks, Executor, Report } from '../executor.ts';
import type { Log } from '../log.ts';
import { WorkerProblem } from '../problems.ts';
import type { Settings } from '../settings.ts';
import { fetchInput, uploadOutputs } from '../transfer.ts';
import { keepImagesBounded } from './image-limit.ts';
import { commandOf, credentialsOf, environmentOf } from './order-parts.ts';

type Podman = { engine: ContainerEngine; attemptsDir: string; log: Log };

/**
 * Opens podman, and removes what an earlier, killed worker left in the folder, which belongs to
 * this process alone.
 *
 * @throws WorkerProblem if no container can run here.
 */
export async function openPodmanExecutor(settings: Settings, log: Log): Promise<Executor> {
  const { state_dir } = settings;
  const attemptsDir = resolve(state_dir, 'attempts');
  await rm(attemptsDir, { recursive: true, force: true });
  await mkdir(attemptsDir, { mode: 0o700 });
  const engine = await readyEngine(settings, log);
  const stopRemovingImages = keepImagesBounded(engine, state_dir, log);
  const { kind, version, network } = engine.report;
  return {
    name: `${kind} ${version}`,
    capacity: machineCapacity(state_dir),
    features: network ? ['egress'] : [],
    execute: (order, hooks, signal) => execute({ engine, attemptsDir, log }, order, hooks, signal),
    close: async () => {
      stopRemovingImages();
      await engine.close();
    },
  };
}

async function readyEngine(settings: Settings, log: Log): Promise<ContainerEngine> {
  const { report, engine } = await openEngine({
    state_dir: resolve(settings.state_dir, 'containers'),
    installation: settings.installation,
    egress_allow: settings.egress_allow,
    registry_allow: settings.registry_allow,
    warn: (message) => log.warn(message),
  });
  for (const warning of report.warnings) log.warn(warning);
  if (!engine) {
    const remedy = report.remedy ? `\nWhat usually helps: ${report.remedy}` : '';
    throw new WorkerProblem(
      `Containers cannot run here: ${report.problem}${remedy}`,
      'no_containers',
    );
  }
  const removed = await engine.removeLeftovers();
  if (removed.length > 0) log.info({ removed }, 'removed leftover containers');
  return engine;
}

async function execute(
  podman: Podman,
  order: WorkOrder,
  hooks: ExecutionHooks,
  signal: AbortSignal,
): Promise<Report> {
  const { engine, attemptsDir, log } = podman;
  const root = join(attemptsDir, String(order.attempt_id));
  const folders = { root, private_root: join(engine.private_dir, `attempt-${order.attempt_id}`) };
  try {
    const workspace = await freshWorkspace(folders);
    return await executeIn(workspace, engine, order, hooks, signal);
  } finally {
    await removeWorkspace(folders).catch((error: unknown) =>
      log.warn({ root, err: error }, 'the folder of an attempt could not be removed'),
    );
  }
}

/** An earlier lease of the same attempt may have left its folders. */
async function freshWorkspace(folders: { root: string; private_root: string }) {
  const make = () => makeWorkspace(folders.root, folders.private_root);
  return make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    await removeWorkspace(folders);
    return make();
  });
}

async function executeIn(
  workspace: Workspace,
  engine: ContainerEngine,
  order: WorkOrder,
  hooks: ExecutionHooks,
  stop: AbortSignal,
): Promise<Report> {
  // The image and the inputs come from different places, so both are fetched at once.
  const [image, placed] = await inParallel(
    (signal) =>
      engine.pull(order.image, credentialsOf(order), signal, (words) =>
        hooks.onLog(Buffer.from(`${words}\n`)),
      ),
    (signal) => placeAll(order, workspace, signal),
    stop,
  );
  const result = await engine.run(
    {
      name: `cogworks-${order.attempt_id}-${order.lease_token.slice(0, 8)}`,
      image_id: image.image_id,
      command: commandOf(order, placed),
      env: environmentOf(order),
      run_id: String(order.run_id),
      attempt_id: String(order.attempt_id),
      workspace,
      resources: order.resources,
      timeout_seconds: order.timeout_seconds,
      network: order.network,
    },
    {
      onStarted: () => hooks.onStarted(),
      onOutput: (chunk) => hooks.onLog(chunk),
      onProgress: (done, total) => {
        if (total > 0) hooks.onProgress(Math.min(1, Math.max(0, done / total)));
      },
    },
    stop,
  );
  if (stop.aborted) return { status: 'cancelled' };
  const failure = failureOf(order, result);
  if (failure) return failure;
  try {
    const files = await collectOutputs(workspace.outputs, order.outputs);
    const outputs = await uploadOutputs(hooks.openUploads, files, stop);
    return { status: 'success', exit_code: 0, outputs };
  } catch (error) {
    // The program itself succeeded; the exit code tells that to users who look for the error.
    return { ...reportOfError(error), exit_code: 0 };
  }
}

async function placeAll(order: WorkOrder, workspace: Workspace, stop: AbortSignal) {
  const placed = placeInputs(workspace, order.inputs);
  await makePortFolders(
    workspace,
    order.input_ports.map((port) => port.name),
  );
  await writeParams(workspace, order.params);
  // A few at a time: a gather of a thousand files must not open a thousand connections.
  await forEachParallel(8, placed.values(), stop, fetchInput);
  return placed;
}

/** The program's own failure; undefined if it succeeded. */
function failureOf(order: WorkOrder, result: RunResult): Report | undefined {
  const { exit_code } = result;
  const failure = (error_class: Report['error_class'], error_message: string): Report => ({
    status: 'failure',
    ...(exit_code === null ? {} : { exit_code }),
    error_class,
    error_message,
  });
  if (result.stopped_by === 'timeout')
    return failure('timeout', `It ran longer than ${order.timeout_seconds} s.`);
  if (result.oom_killed) {
    const had = `out of memory, it had ${order.resources.memory_mb} MB`;
    return failure('oom', `exit code ${exit_code} (${had})`);
  }
  return exit_code === 0 ? undefined : failure('exit_nonzero', `exit code ${exit_code}`);
}
