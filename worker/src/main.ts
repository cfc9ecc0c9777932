/** A worker on this machine; settings.ts says how it is started. Ctrl-C gives running work back and ends. */
import { mkdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type AgentEnd, startAgent } from './agent.ts';
import { machineCapacity } from './capacity.ts';
import { openEngine } from './containers/engine.ts';
import { FolderInUse, lockFolder } from './folder-lock.ts';
import { keepImagesBounded } from './image-duty.ts';
import { stderrLog } from './log.ts';
import { requireServer, WorkerProblem } from './problems.ts';
import { readSettings, type Settings, usage } from './settings.ts';

async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (!settings) return console.log(usage);
  const end = await work(settings);
  if (end !== 'stopped') throw endings[end](settings);
}

async function work(settings: Settings): Promise<AgentEnd> {
  const { baseUrl, stateDir, isLocal } = settings;
  // From the first moment on: what sets up containers must not be left behind either.
  const stop = toldToStop(isLocal);
  await requireServer(baseUrl);
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(stateDir).catch((error: unknown) => {
    throw error instanceof FolderInUse ? inUse(settings, error) : error;
  });
  return workIn(settings, stop).finally(unlock);
}

async function workIn(settings: Settings, stop: AbortSignal): Promise<AgentEnd> {
  const { stateDir } = settings;
  // Folders of attempts that an earlier, killed worker left.
  await rm(resolve(stateDir, 'attempts'), { recursive: true, force: true });
  await mkdir(resolve(stateDir, 'attempts'), { mode: 0o700 });

  const { engine, words } = await readyEngine(settings);
  const endTidying = keepImagesBounded(engine, stateDir, stderrLog);
  try {
    if (stop.aborted) return 'stopped';
    const capacity = machineCapacity(stateDir);
    const agent = await startAgent({
      ...settings,
      capacity,
      features: engine.report.network ? ['egress'] : [],
      engine,
      log: stderrLog,
    });
    stop.addEventListener('abort', () => agent.stop());
    if (stop.aborted) agent.stop();
    else stderrLog('info', 'the worker takes work', { engine: words });
    return await agent.done;
  } finally {
    endTidying();
    await engine.close();
  }
}

/**
 * Aborted by a signal, and when whoever started this worker was killed and could send none: the
 * server of a local worker holds its stdin, tools/run.mjs a channel.
 */
function toldToStop(isLocal: boolean): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  if (isLocal) process.stdin.resume().once('end', stop).once('close', stop);
  process.once('disconnect', stop);
  return stopping.signal;
}

/** The engine, with nothing left in it of an earlier, killed worker: the folder is ours alone. */
async function readyEngine({ stateDir, installation, egressAllow, registryAllow }: Settings) {
  const { report, engine } = await openEngine({
    state_dir: resolve(stateDir, 'containers'),
    installation,
    egress_allow: egressAllow,
    registry_allow: registryAllow,
  });
  for (const warning of report.warnings) stderrLog('warn', warning);
  if (!engine) {
    const remedy = report.remedy ? `\nWhat usually helps: ${report.remedy}` : '';
    throw new WorkerProblem(
      `Containers cannot run here: ${report.problem}${remedy}`,
      'no_containers',
    );
  }
  const removed = await engine.removeLeftovers([]);
  if (removed.length > 0) stderrLog('info', 'removed leftover containers', { removed });
  return { engine, words: `${report.kind} ${report.version}` };
}

const inUse = ({ stateDir }: Settings, { pid }: FolderInUse) =>
  new WorkerProblem(
    `A worker${pid === undefined ? '' : ` (process ${pid})`} runs in ${stateDir} already. ` +
      'Give this one a name of its own: npm run worker -- --name NAME',
    'folder_in_use',
  );

const endings = {
  superseded: ({ baseUrl, stateDir }: Settings) =>
    new WorkerProblem(
      `Another process works for ${baseUrl} with the identity of this worker; this one has given its work back. ` +
        `If ${stateDir} was copied, remove the copy's worker.json and start it with an enrolment token of its own.`,
      'superseded',
    ),
  removed: ({ baseUrl, name }: Settings) =>
    new WorkerProblem(
      `${baseUrl} does not know the worker ${name} any more. Start it once with a new COGWORKS_ENROLLMENT_TOKEN to enrol it again.`,
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
