/** What runs on this machine for one installation, as the kernel tells it: nobody has to report it. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export type Process = {
  pid: number;
  command: string;
  kind: 'own' | 'container';
  /** Command, environment and groups: all that names a folder or a container. */
  text: string;
};

/**
 * Server, worker, database, engine calls (they name the folder in their arguments or their
 * environment) and what runs in containers (by the group of the installation's engine).
 */
export async function processesOf(dir: string): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => describe(dir, Number(pid))));
  return found.flatMap((one) => one ?? []);
}

/** Those in a container, and the engine's monitors of containers; of one attempt, where one is given. */
export async function containersOf(dir: string, attemptId?: number): Promise<Process[]> {
  const found = (await processesOf(dir)).filter(({ kind }) => kind === 'container');
  return attemptId === undefined
    ? found
    : found.filter(({ text }) => text.includes(`cogworks-${attemptId}-`));
}

async function describe(dir: string, pid: number): Promise<Process | undefined> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '');
  const [command, environment, groups, state] = await Promise.all([
    read('cmdline'),
    read('environ'),
    read('cgroup'),
    read('stat'),
  ]);
  // A zombie only waits for somebody to ask how it ended.
  if (pid === process.pid || / Z /.test(state.slice(state.lastIndexOf(')')))) return undefined;
  const one = {
    pid,
    command: command.replaceAll('\0', ' ').trim(),
    text: command + environment + groups,
  };
  const isMonitor = /conmon/.test(command) && command.includes(dir);
  if (isMonitor || groups.includes(engineGroup(dir))) return { ...one, kind: 'container' };
  return one.text.includes(dir) ? { ...one, kind: 'own' } : undefined;
}

/** The name that worker/src/containers/engine-files.ts gives to the parent of all its groups. */
function engineGroup(dir: string) {
  const state = join(dir, 'worker/containers');
  return `cogworks-${createHash('sha256').update(state).digest('hex').slice(0, 12)}`;
}

/** Ends all of it, as a last resort after a test. */
export async function killAll(dir: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const left = await processesOf(dir);
    if (left.length === 0) return;
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself in between.
      }
    }
    await delay(50);
  }
}

/** The process id of the embedded database's first process. */
export async function postmasterOf(dir: string): Promise<number> {
  const text = await readFile(join(dir, 'postgres/data/postmaster.pid'), 'utf8');
  return Number(text.split('\n')[0]);
}
