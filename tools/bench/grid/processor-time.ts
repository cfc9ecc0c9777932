/** Processor time of a browser's threads as Linux counts it. It rises least with other load. */
import { readdir, readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';

/** In ms: of the threads of pages that run their scripts, and of all threads of the browser. */
export type ProcessorTime = { pages: number; all: number };

export async function processorTimeOf(
  browser: Browser,
  work: () => Promise<unknown>,
): Promise<ProcessorTime> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const read = async (): Promise<ProcessorTime> => {
    const each = await Promise.all(processInfo.map(({ id, type }) => timeOf(id, type)));
    const sum = (of: keyof ProcessorTime) => each.reduce((total, one) => total + one[of], 0);
    return { pages: sum('pages'), all: sum('all') };
  };
  const before = await read();
  await work();
  const after = await read();
  return { pages: after.pages - before.pages, all: after.all - before.all };
}

async function timeOf(process: number, type: string): Promise<ProcessorTime> {
  const threads = await readdir(`/proc/${process}/task`).catch(() => []);
  const times = await Promise.all(
    threads.map(async (thread) => {
      const path = `/proc/${process}/task/${thread}/schedstat`;
      const [ns = 0] = (await readFile(path, 'utf8').catch(() => '0')).split(' ').map(Number);
      return { isMain: Number(thread) === process, ms: ns / 1e6 };
    }),
  );
  const all = times.reduce((total, { ms }) => total + ms, 0);
  const main = times.find(({ isMain }) => isMain)?.ms ?? 0;
  return { pages: type === 'renderer' ? main : 0, all };
}
