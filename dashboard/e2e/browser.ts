/**
 * A real browser for these tests: the machine's Chromium. One per file; each test gets a separate
 * context and shares no state with others.
 */
import { existsSync } from 'node:fs';
import { after, type TestContext } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { TestServer } from '../../server/test/server.ts';

const executable = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** Why these tests are skipped, if there is no browser; else false. */
export const withoutBrowser: string | false = executable
  ? false
  : 'there is no Chromium on this machine';

let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

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

/**
 * A new page. The test fails if the page reports an error, or violates its content security policy.
 */
export async function openPage(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await (await launch()).newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // A refused request is not an error here; tests assert those they expect.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) {
      problems.push(message.text());
    }
  });
  t.after(async () => {
    await context.close();
    if (problems.length > 0) throw new Error(`The page reported: ${problems.join('\n')}`);
  });
  return page;
}

export type Person = { email: string; password: string };

/** Opens the dashboard and signs in through the provider's own page. */
export async function signInto(
  page: Page,
  server: Pick<TestServer, 'url'>,
  person: Person,
  path = '/',
) {
  await page.goto(`${server.url}/app${path}`);
  await page.getByLabel(/e-?mail/i).fill(person.email);
  await page.getByLabel(/^password/i).fill(person.password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.waitForURL(`${server.url}/app/**`);
}
