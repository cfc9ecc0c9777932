/** The processes of one installation on this machine, according to the kernel. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export type Process = {
  pid: number;
  command: string;
  kind: 'own' | 'container';
  /** Command, environment and cgroups: everything that can name a folder or a container. */
  text: string;
};

/**
 * Server, worker, database and engine calls (which name the folder in arguments or environment),
 * and processes in containers (by the cgroup of the installation's engine).
 */
export async function processesOf(dir: string): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => describe(dir, Number(pid))));
  return found.flatMap((one) => one ?? []);
}

/** Processes in containers, and the engine's container monitors; optionally of one attempt only. */
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
  // A zombie has ended; only its exit status has not been read.
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

/** The name of the parent cgroup, as in worker/src/containers/engine-files.ts. */
function engineGroup(dir: string) {
  const state = join(dir, 'worker/containers');
  return `cogworks-${createHash('sha256').update(state).digest('hex').slice(0, 12)}`;
}

/** Ends all processes, as a last resort after a test. */
export async function killAll(dir: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const left = await processesOf(dir);
    if (left.length === 0) return;
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended in between.
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
