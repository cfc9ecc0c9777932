/**
 * `npm run bench -- grid [--files N] [--steps N] [--seconds S]`: the page of a large run in a real
 * browser: until its grid is there, its frames while it is scrolled and while cells change, its
 * requests and its memory.
 */
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { buildDashboard } from '../../build-dashboard.ts';
import { type Api, apiOf } from '../http.ts';
import { quantile } from '../measure.ts';
import { startWorkers } from '../runs/workers.ts';
import { type BenchServer, signInAsAdmin, startBenchServer } from '../server.ts';
import { framesOfScrolling, framesOfWaiting, heapOf, launch, open, signedIn } from './page.ts';
import { processorTimeOf } from './processor-time.ts';
import { endRun, folderOf, startRun, versionOf } from './rows.ts';

/** Measures and prints. @param args of the command line. */
export async function grid(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      checkout: { type: 'string', default: '.' },
      files: { type: 'string', default: '10000' },
      steps: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '10' },
    },
  });
  const [files, steps, seconds] = [values.files, values.steps, values.seconds].map(Number) as [
    number,
    number,
    number,
  ];
  await buildDashboard();
  const server = await startBenchServer(values.checkout);
  const browser = await launch();
  try {
    const api = apiOf(server.url, await signInAsAdmin(server));
    const version = await versionOf(api, steps);
    const folder = await folderOf(api, server.db, files);
    const ended = await startRun(api, version, folder);
    await endRun(server.db, ended);
    const page = await signedIn(browser, server);
    await still(browser, page, ended, seconds);
    const moving = await startRun(api, version, folder);
    await live(server, api, page, moving, seconds);
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** The grid, once all of its pages have been read. */
const read = '[role="grid"][aria-busy="false"]';

async function still(browser: Browser, page: Page, run: number, seconds: number): Promise<void> {
  const idle = await framesOfWaiting(page, 2);
  tell('frames of a page at rest', idle);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  // What the second opening finds is in the browser's cache, as for most readers.
  await open(page, run);
  await page.locator(read).waitFor();
  await page.goBack();
  asked.length = 0;
  const shown = await open(page, run);
  console.log(`grid shown after ${shown.toFixed(0)} ms`);
  tell('frames while its pages come', await framesOfWaiting(page, 2));
  await page.locator(read).waitFor();
  let scrolled: number[] = [];
  const { pages, all } = await processorTimeOf(browser, async () => {
    scrolled = await framesOfScrolling(page, seconds);
  });
  tell('frames of scrolling', scrolled);
  const each = (ms: number) => `${(ms / scrolled.length).toFixed(1)} ms a frame`;
  console.log(`processor time: ${each(pages)} of the page, ${each(all)} of all of the browser`);
  const grids = asked.filter((path) => path.endsWith('/grid')).length;
  console.log(`requests: ${grids} of the grid, ${asked.length} in all`);
  console.log(`heap: ${(await heapOf(page)).toFixed(0)} MB`);
}

async function live(server: BenchServer, api: Api, page: Page, run: number, seconds: number) {
  await page.goto(`${server.url}/app/runs`);
  await open(page, run);
  await page.locator(read).waitFor();
  let done = 0;
  const workers = await startWorkers({
    api,
    apiWith: (token) => apiOf(server.url, token),
    count: 2,
    max: 50,
    onDone: () => {
      done += 1;
    },
  });
  const times = await framesOfWaiting(page, seconds);
  const changes = (2 * done) / seconds;
  await workers.rest(true);
  tell(`frames at ${changes.toFixed(0)} changes of cells a second`, times);
  console.log(`heap: ${(await heapOf(page)).toFixed(0)} MB`);
  await compare(api, page, run);
  await workers.stop();
}

/** The cells on the page against those of the API, once all events have come. */
async function compare(api: Api, page: Page, run: number): Promise<void> {
  const { rows } = await api('GET', `/workflows/workflow-runs/${run}/grid?limit=1000`);
  const cells = new Map<string, string>(
    rows.map((row: { name: string; cells: string }) => [row.name, row.cells]),
  );
  for (let tries = 0; ; tries += 1) {
    const shown = await page.evaluate<[string, string][]>(shownRows);
    const same = shown.filter(([name, letters]) => cells.get(name)?.startsWith(letters)).length;
    if ((same === shown.length && same > 0) || tries === 20) {
      console.log(`${same} of ${shown.length} rows on the page are as the API has them`);
      return;
    }
    await new Promise((later) => setTimeout(later, 250));
  }
}

/** A script for the page: the name of each row that is drawn, and the letters of its cells. */
const shownRows = `[...document.querySelectorAll('[role="row"][data-id]')].map((row) => [
  row.querySelector('[title]')?.title,
  [...row.querySelectorAll('[data-letter]')].map((cell) => cell.dataset.letter).join(''),
])`;

function tell(what: string, frames: number[]): void {
  const ms = (share: number) => quantile(frames, share).toFixed(1);
  console.log(
    `${what}: p50 ${ms(0.5)} ms, p95 ${ms(0.95)} ms, longest ${Math.max(...frames).toFixed(0)} ms`,
  );
}
