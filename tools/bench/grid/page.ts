/** The page of a run in a real browser, and what it costs there. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { setPassword } from '../../../server/src/resources/auth/passwords.ts';
import { signIn } from '../../../server/test/sign-in.ts';
import type { BenchServer } from '../server.ts';

const executables = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  // What the tests install.
  '/usr/bin/chromium-headless-shell',
];

export function launch(): Promise<Browser> {
  const executablePath = executables.find(existsSync);
  if (!executablePath) throw new Error('There is no Chromium on this machine.');
  return chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
}

/** A page of the dashboard, signed in as the first admin. */
export async function signedIn(browser: Browser, server: BenchServer): Promise<Page> {
  const email = 'admin@localhost';
  const password = 'correct horse battery';
  const [user] = await server.db<{ id: number }[]>`select id from users where email = ${email}`;
  await setPassword(server.db, user?.id ?? 0, password, { must_change: false });
  const { refresh_token, id_token, browser: cookies } = await signIn(server, email, password);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const domain = new URL(server.url).hostname;
  await context.addCookies(
    [...cookies.cookies].map(([key, cookie]) => ({
      ...{ ...cookie, name: key.split('|')[0] ?? '', domain },
    })),
  );
  await page.addInitScript({
    content: `if (!sessionStorage.getItem('signed-in')) {
      sessionStorage.setItem('signed-in', 'once');
      sessionStorage.setItem('cogworks.refresh-token', ${JSON.stringify(refresh_token)});
      sessionStorage.setItem('cogworks.id-token', ${JSON.stringify(id_token)});
    }`,
  });
  await page.goto(`${server.url}/app/runs`);
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  return page;
}

/** Milliseconds from the click on the run until its cells are there. */
export async function open(page: Page, runId: number): Promise<number> {
  const link = page.locator(`a[href$="/runs/${runId}"]`).first();
  await link.waitFor();
  const began = performance.now();
  await link.click();
  await page.locator('[role="gridcell"][data-letter]').first().waitFor();
  return performance.now() - began;
}

/** The time of each frame while the grid is scrolled, four rows a frame. */
export const framesOfScrolling = (page: Page, seconds: number) =>
  framesOf(page, seconds, `document.querySelector('[role="grid"]').scrollTop += 136;`);

/** The time of each frame while nothing is done. */
export const framesOfWaiting = (page: Page, seconds: number) => framesOf(page, seconds, '');

/** A script for the page, which has no types here. */
const framesOf = (page: Page, seconds: number, doing: string): Promise<number[]> =>
  page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const times = [];
    let last = await frame();
    for (const end = last + ${seconds * 1000}; last < end; ) {
      ${doing}
      const now = await frame();
      times.push(now - last);
      last = now;
    }
    return times;
  })()`);

/** What the page's scripts hold, in MB, after a collection. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}
