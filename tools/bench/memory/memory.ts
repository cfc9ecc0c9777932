/**
 * `npm run bench -- memory [--at-once N] [--mb N] [--down-mb N]`: memory of the server while many
 * large files are uploaded at once, and one is downloaded by many at once. It should depend neither
 * on how many there are nor on how large they are.
 *
 * The files need `at-once × mb` of the disk, twice.
 */
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { allocatedBy } from '../proc.ts';
import { startDriver } from '../processes.ts';
import { type BenchServer, signInAsMembers, startBenchServer } from '../server.ts';
import type { MemoryTask } from './driver.ts';

/** Of one user only so many requests may be under way. */
const members = 10;

/** What the server may have more than when it was idle. */
const most_mb = 200;

/** Measures and prints. @param args of the command line. */
export async function memory(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      checkout: { type: 'string', default: '.' },
      'at-once': { type: 'string', default: '100' },
      mb: { type: 'string', default: '250' },
      'down-mb': { type: 'string', default: '1000' },
    },
  });
  const [atOnce, mb, down] = [values['at-once'], values.mb, values['down-mb']].map(Number) as [
    number,
    number,
    number,
  ];
  const server = await startBenchServer(values.checkout);
  const driver = startDriver<MemoryTask>(join(import.meta.dirname, 'driver.ts'));
  try {
    await requireDisk(server, 2 * atOnce * mb + down);
    const tokens = await signInAsMembers(server, members);
    await driver.ask({ task: 'open', url: server.url, tokens });
    const measure = async (what: string, task: MemoryTask, megabytes: number) => {
      const took = await whileWatched(server.pid, () => driver.ask(task));
      const rate = megabytes / took.seconds;
      const added = took.peak - idle;
      console.log(
        `${what}: ${took.peak.toFixed(0)} MB at most, ${added.toFixed(0)} more than idle; ` +
          `${rate.toFixed(0)} MB/s`,
      );
      if (added > most_mb) process.exitCode = 1;
    };
    // What a process keeps once it has done something of each kind is not due to their number.
    for (const way of ['form', 'parts', 'down'] as const) {
      await driver.ask({ task: way, count: 4, bytes: 80e6 });
    }
    const idle = await settled(server.pid);
    console.log(`idle: ${idle.toFixed(0)} MB`);
    const of = (task: 'form' | 'parts') => ({ task, count: atOnce, bytes: mb * 1e6 });
    await measure(`${atOnce} forms of ${mb} MB`, of('form'), atOnce * mb);
    await measure(`${atOnce} uploads in parts of ${mb} MB`, of('parts'), atOnce * mb);
    const downloads = { task: 'down', count: atOnce, bytes: down * 1e6 } as const;
    await measure(`${atOnce} downloads of ${down} MB`, downloads, atOnce * down);
    console.log(`afterwards: ${(await settled(server.pid)).toFixed(0)} MB`);
  } finally {
    driver.end();
    await server.stop();
  }
}

async function requireDisk({ dir }: BenchServer, mb: number) {
  const { bavail, bsize } = await statfs(dir);
  const free = (bavail * bsize) / 1e6;
  if (free < mb + 5000) throw new Error(`This needs ${mb} MB of the disk; ${free} are free.`);
}

const sampleEvery_ms = 200;

/** The largest memory of the server's process during some work. */
async function whileWatched(pid: number, work: () => Promise<unknown>) {
  const began = performance.now();
  let isOver = false;
  const watching = (async () => {
    let peak = 0;
    while (!isOver) {
      peak = Math.max(peak, await allocatedBy(pid));
      await delay(sampleEvery_ms);
    }
    return peak;
  })();
  await work().finally(() => {
    isOver = true;
  });
  return { peak: await watching, seconds: (performance.now() - began) / 1000 };
}

/** When it has not changed much for three seconds. */
async function settled(pid: number): Promise<number> {
  for (let last = 0; ; ) {
    const now = await allocatedBy(pid);
    if (Math.abs(now - last) < 5) return now;
    last = now;
    await delay(3000);
  }
}
