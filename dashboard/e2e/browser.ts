/**
 * A real browser for these tests: the machine's Chromium. One per process. Tests share no state, but
 * the tab: one that was used before has the dashboard's scripts compiled, and a new one takes twice
 * the time until the dashboard shows.
 */
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { atEndOfProcess } from '../../server/test/end-of-file.ts';
import type { TestServer } from '../../server/test/server.ts';
import { signIn } from '../../server/test/sign-in.ts';
import { patience_ms } from '../../server/test/until.ts';

const executable = [
  // The same Chromium without windows: it takes a sixth less time (tools/containers/setup.ts).
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** Why these tests are skipped, if there is no browser; else false. */
export const withoutBrowser: string | false = executable
  ? false
  : 'there is no Chromium on this machine';

let browser: Promise<Browser> | undefined;
atEndOfProcess(async () => (await browser)?.close());

export function launch(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: executable ?? '',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return browser;
}

/** Tabs that tests have left, by the options that they were opened with. */
const left = new Map<string, Page[]>();

const endings = new WeakMap<Page, (() => Promise<unknown>)[]>();

/** Registers what undoes a change of the page that `leave` does not know. */
export function whenLeft(page: Page, undo: () => Promise<unknown>): void {
  endings.set(page, [...(endings.get(page) ?? []), undo]);
}

/**
 * An empty page without cookies and stored data. The test fails if the page reports an error, or
 * violates its content security policy.
 *
 * @param options.expects an error that belongs to the test.
 */
export async function openPage(
  t: TestContext,
  { expects, ...options }: BrowserContextOptions & { expects?: RegExp } = {},
): Promise<Page> {
  const key = JSON.stringify(options);
  const page = left.get(key)?.pop() ?? (await newPage(options));
  page.setDefaultTimeout(patience_ms);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // A refused request is not an error here; tests assert those they expect.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) {
      problems.push(message.text());
    }
  });
  t.after(async () => {
    if (await leave(page, options)) left.set(key, [...(left.get(key) ?? []), page]);
    else await page.context().close();
    const unexpected = problems.filter((problem) => !expects?.test(problem));
    if (unexpected.length > 0) {
      throw new Error(`The page reported: ${unexpected.join('\n')}`);
    }
  });
  return page;
}

const newPage = async (options: BrowserContextOptions) =>
  (await (await launch()).newContext(options)).newPage();

/**
 * Ends what the test has done to the page and its browser context.
 *
 * @returns whether nothing is left of the test.
 */
async function leave(
  page: Page,
  { viewport, colorScheme, reducedMotion }: BrowserContextOptions,
): Promise<boolean> {
  const context = page.context();
  await page.removeAllListeners(undefined, { behavior: 'ignoreErrors' });
  // An editor with unsaved changes asks.
  page.on('dialog', (dialog) => dialog.accept().catch(() => {}));
  try {
    await Promise.all([
      ...context.pages().map((one) => (one === page ? undefined : one.close())),
      ...(endings.get(page) ?? []).map((undo) => undo()),
      page.unrouteAll({ behavior: 'ignoreErrors' }),
      context.setOffline(false),
      context.clearPermissions(),
    ]);
    endings.delete(page);
    const { protocol, origin } = new URL(page.url());
    // On another page, such as that of a failed load, nothing is known of what the tab keeps.
    if (!protocol.startsWith('http')) return false;
    await page.goto(`${origin}/healthz`);
    await page.evaluate(forget);
    await page.goto('about:blank');
    await context.clearCookies();
    await page.setViewportSize(viewport ?? usualViewport);
    await page.emulateMedia({
      colorScheme: colorScheme ?? 'light',
      reducedMotion: reducedMotion ?? null,
    });
    await page.mouse.move(0, 0);
    await page.removeAllListeners(undefined, { behavior: 'ignoreErrors' });
    return true;
  } catch {
    return false;
  }
}

/** Playwright's own. */
const usualViewport = { width: 1280, height: 720 };

/** For a page of the server: removes all that its dashboard keeps in the browser. */
const forget = `(async () => {
  sessionStorage.clear();
  localStorage.clear();
  const removed = (name) => new Promise((done, failed) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = done;
    request.onerror = failed;
    request.onblocked = failed;
  });
  const databases = await indexedDB.databases();
  await Promise.all(databases.map(({ name }) => removed(name)));
})()`;

export type Person = { email: string; password: string };

type Server = Pick<TestServer, 'url'>;

/**
 * Opens the dashboard, signed in. The provider gets the same requests as from its own pages, but
 * these are not drawn: that took a third of the time of a short test. The page has its own tokens
 * then: to leave it while they are renewed would sign out, because a token is good for one use.
 */
export async function signInto(page: Page, server: Server, person: Person, path = '/') {
  const { refresh_token, id_token, browser } = await signIn(server, person.email, person.password);
  const domain = new URL(server.url).hostname;
  await page.context().addCookies(
    [...browser.cookies].map(([key, cookie]) => ({
      ...cookie,
      name: key.split('|')[0] ?? '',
      domain,
    })),
  );
  const script = await page.addInitScript({ content: keepTokens(refresh_token, id_token) });
  whenLeft(page, () => script.dispose());
  await page.goto(`${server.url}/app${path}`);
  await page.evaluate(`new Promise((done) => {
    const isUsed = () => sessionStorage.getItem('cogworks.refresh-token') === ${JSON.stringify(refresh_token)};
    const look = () => (isUsed() ? setTimeout(look, 20) : done());
    look();
  })`);
}

/** A script for the page: keeps the tokens, once, since the dashboard renews and forgets them itself. */
const keepTokens = (refresh: string, id: string) => `
  // Frames of previews have no storage.
  if (window.top === window && !sessionStorage.getItem('signed-in')) {
    sessionStorage.setItem('signed-in', 'once');
    sessionStorage.setItem('cogworks.refresh-token', ${JSON.stringify(refresh)});
    sessionStorage.setItem('cogworks.id-token', ${JSON.stringify(id)});
  }
`;

/** Opens the dashboard and signs in on the provider's own page. */
export async function signInByForm(page: Page, server: Server, person: Person, path = '/') {
  await page.goto(`${server.url}/app${path}`);
  await page.getByLabel(/e-?mail/i).fill(person.email);
  await page.getByLabel(/^password/i).fill(person.password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.waitForURL(`${server.url}/app/**`);
}
