/**
 * The worker program; settings.ts describes how it is started. Ctrl-C gives running work back and
 * ends.
 */
import { mkdir } from 'node:fs/promises';
import { startAgent } from './agent.ts';
import type { AgentEnd } from './agent-state.ts';
import type { Executor } from './executor.ts';
import { noExecutor } from './executors/none.ts';
import { openPodmanExecutor } from './executors/podman.ts';
import { FolderInUse, lockFolder } from './folder-lock.ts';
import { stderrLog as log } from './log.ts';
import { requireServer, WorkerProblem } from './problems.ts';
import { readSettings, type Settings, usage } from './settings.ts';

async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (!settings) return console.log(usage);
  const end = await work(settings);
  if (end !== 'stopped') throw endings[end](settings);
}

async function work(settings: Settings): Promise<AgentEnd> {
  const { base_url, state_dir, is_local } = settings;
  // Before anything else, so that a signal also ends the setup of containers.
  const stop = toldToStop(is_local);
  await requireServer(base_url);
  await mkdir(state_dir, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(state_dir).catch((error: unknown) => {
    throw error instanceof FolderInUse ? inUse(settings, error) : error;
  });
  return workInFolder(settings, stop).finally(unlock);
}

async function workInFolder(settings: Settings, stop: AbortSignal): Promise<AgentEnd> {
  const executor = await openExecutor(settings);
  try {
    if (stop.aborted) return 'stopped';
    const agent = await startAgent(settings, executor, log);
    stop.addEventListener('abort', () => agent.stop());
    if (stop.aborted) agent.stop();
    else log.info({ executor: executor.name }, 'the worker takes work');
    return await agent.done;
  } finally {
    await executor.close();
  }
}

async function openExecutor(settings: Settings): Promise<Executor> {
  if (settings.executor === 'podman') return openPodmanExecutor(settings, log);
  log.warn('COGWORKS_EXECUTOR=none: this worker runs nothing and reports success all the same');
  return noExecutor;
}

/**
 * Aborted by a signal, or when the parent process was killed and could send none: the server of a
 * local worker holds its stdin, tools/run.mjs a channel.
 */
function toldToStop(isLocal: boolean): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  if (isLocal) process.stdin.resume().once('end', stop).once('close', stop);
  process.once('disconnect', stop);
  return stopping.signal;
}

const inUse = ({ state_dir }: Settings, { pid }: FolderInUse) =>
  new WorkerProblem(
    `A worker${pid === undefined ? '' : ` (process ${pid})`} runs in ${state_dir} already. ` +
      'Give this one a name of its own: npm run worker -- --name NAME',
    'folder_in_use',
  );

const endings = {
  superseded: ({ base_url, state_dir }: Settings) =>
    new WorkerProblem(
      `Another process works for ${base_url} with the identity of this worker; this one has given its work back. ` +
        `If ${state_dir} was copied, remove the copy's worker.json and start it with an enrolment token of its own.`,
      'superseded',
    ),
  removed: ({ base_url, name }: Settings) =>
    new WorkerProblem(
      `${base_url} does not know the worker ${name} any more. Start it once with a new COGWORKS_ENROLLMENT_TOKEN to enrol it again.`,
    ),
};

try {
  await main();
  process.exit(0);
} catch (error) {
  if (!(error instanceof WorkerProblem)) throw error;
  console.error(error.message);
  process.exit(error.exit_code);
}
