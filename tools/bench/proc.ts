/** Memory and processor time of a server and its database, by proc(5). */
import { readdir, readFile } from 'node:fs/promises';

/** Of the process itself, and of all its children. */
export type Use = { server: number; database: number };

/** In MB; shared pages are divided between processes. */
export const memoryOf = (pid: number): Promise<Use> => sum(pid, pss);

/** Of one process, in MB: what it has allocated, without the files that it shares with others. */
export async function allocatedBy(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024;
}

/** In ms since its start. */
const cpuOf = (pid: number): Promise<Use> => sum(pid, cpu);

/** The processor time of `work`, divided by the number of operations that it returns. */
export async function cpuPerOperation<Answer>(
  pid: number,
  work: () => Promise<Answer>,
  operations: (answer: Answer) => number,
): Promise<{ answer: Answer; cpu: Use }> {
  const before = await cpuOf(pid);
  const answer = await work();
  const after = await cpuOf(pid);
  const many = operations(answer);
  const cpu = {
    server: (after.server - before.server) / many,
    database: (after.database - before.database) / many,
  };
  return { answer, cpu };
}

async function sum(pid: number, of: (pid: number) => Promise<number>): Promise<Use> {
  const use = { server: await of(pid), database: 0 };
  for (const child of await startedBy(pid)) use.database += await of(child);
  return use;
}

async function startedBy(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (/^\d+$/.test(name)) parents.set(Number(name), Number((await statOf(Number(name)))[1]));
  }
  const isBelow = (child: number): boolean => {
    const parent = parents.get(child);
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

async function pss(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => '');
  return Number(/^Pss: +(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024;
}

/** Its own and that of ended children, in clock ticks of a hundredth of a second. */
async function cpu(pid: number): Promise<number> {
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = (await statOf(pid))
    .slice(11, 15)
    .map(Number);
  return (user + system + childrenUser + childrenSystem) * 10;
}

/** The fields after the name, which may contain anything: state, parent, … */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
