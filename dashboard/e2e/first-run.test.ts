/** The first five minutes: from an empty installation to a finished first run, by the browser alone. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { wantImages } from '../../server/src/images/images.ts';
import { nameOf, recipes } from '../../server/src/images/recipes/all.ts';
import { keepShippedTemplates } from '../../server/src/resources/workflow-templates/shipped/shipped.ts';
import { cast } from '../../server/test/cast.ts';
import { storeTextImage } from '../../server/test/platform-images.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { scriptedWorker } from '../../server/test/worker.ts';
import { openPage, signInto, whenLeft, withoutBrowser } from './browser.ts';
import { dropFromDisk } from './drops.ts';
import { checkLooks } from './looks.ts';
import { newcomer } from './newcomer.ts';

const mostClicks = 8;

describe('a newcomer', { skip: withoutBrowser }, () => {
  it('has a finished first run within 8 clicks, and types nothing but the password', async (t) => {
    const { address, password, work, isReal } = await newcomer(t);
    const page = await openPage(t, { reducedMotion: 'reduce' });
    const clicks = await countClicks(page);
    const began = performance.now();

    await page.goto(address);
    await page.getByLabel(/^password/i).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This folder is empty').waitFor();
    const signedIn = performance.now();
    await t.test('the empty home looks as it should', () => checkLooks(page, 'empty home'));
    const looked_ms = performance.now() - signedIn;

    await page.getByRole('link', { name: 'Try it on samples' }).click();
    await page
      .getByRole('button', { name: /^Run on samples: / })
      .first()
      .click();
    await page.getByText(/samples are being worked on|samples worked/).waitFor();
    const started = performance.now();
    await work();
    await page.getByText('2 of 3 samples worked').waitFor();
    const took_ms = performance.now() - began - looked_ms;

    await page.getByText(/is damaged on purpose: one bad file does not stop/).waitFor();
    await page.getByText('First steps, 2 of 4 done').waitFor();
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    const counted = await clicks();
    t.diagnostic(
      `${isReal ? 'with containers' : 'with a scripted worker'}: ${counted} clicks; signed in after ${seconds(signedIn - began)}, started after ${seconds(started - began - looked_ms)}, finished after ${seconds(took_ms)}`,
    );
    assert.ok(counted <= mostClicks, `${counted} clicks`);
    await t.test('the first run looks as it should', () => checkLooks(page, 'first run'));

    await t.test('a step is changed in the builder', async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('button', { name: 'Change a step' }).click();
      await page.waitForURL(/\/app\/workflows\/1\/versions\/2/);
    });

    await t.test('cards say what is ready', async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(new URL('/app/start', address).href);
      await page.getByText('Ready', { exact: true }).first().waitFor();
    });
  });
});

describe('an empty home', { skip: withoutBrowser }, () => {
  it('takes a dropped folder and files, and offers what can be made of them', async (t) => {
    const { server, admin } = await cast();
    await keepShippedTemplates(server.services.db);
    const person = await userWithPassword(server, admin.user.tenant_id);
    const page = await openPage(t, { reducedMotion: 'reduce' });
    await signInto(page, server, person);
    await page.getByText('This folder is empty').waitFor();

    await dropFromDisk(page, await lettersOnDisk(t));
    await page.getByRole('heading', { name: '3 files: 2 texts and 1 PDF' }).waitFor();
    const first = page.getByRole('button', { name: 'Run on 2 of 3 files: Count words' });
    await first.waitFor();
    await checkLooks(page, 'suggestions for dropped files');
    await page.setViewportSize({ width: 1280, height: 800 });
    await first.click();
    await page.getByRole('heading', { name: 'Count words' }).waitFor();
    await page.waitForURL(`${server.url}/app/runs/*`);

    await page.goto(`${server.url}/app/files`);
    await page.getByRole('link', { name: 'Letters' }).waitFor();
    await page.getByLabel('Choose a.txt').click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Run workflow…' }).click();
    await page.getByRole('button', { name: 'Run on this file…: Count words' }).waitFor();
    await checkLooks(page, 'suggestions for chosen files');

    await t.test('a template that cannot run says so before, and what to do', async () => {
      const { db } = server.services;
      const worker = await scriptedWorker(server, admin.user.tenant_id);
      await storeTextImage(server);
      await wantImages(db, [nameOf(recipes.documents)]);
      await db`
        update platform_images set state = 'failed', step = 'There is no network.'
        where name = 'documents'
      `;
      await worker.heartbeat();
      await page.goto(`${server.url}/app/start`);
      const card = (name: string) => page.getByRole('listitem').filter({ hasText: name }).first();
      await card('Count words').getByText('Ready', { exact: true }).waitFor();
      await card('PDF to text')
        .getByText(/could not be made. There is no network/)
        .waitFor();
      await checkLooks(page, 'start without an image');
      // What was dropped is worked on meanwhile.
      assert.equal((await worker.work()).length, 2);
    });
  });
});

/** A folder with a text and a PDF, and a text beside it. @returns their paths. */
async function lettersOnDisk(t: TestContext): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-drop-'));
  t.after(() => rm(dir, { recursive: true }));
  const [folder, file] = [join(dir, 'Letters'), join(dir, 'a.txt')];
  await mkdir(folder);
  await writeFile(file, 'dear reader');
  await writeFile(join(folder, 'b.txt'), 'dear writer');
  await writeFile(join(folder, 'c.pdf'), '%PDF-1.4');
  return [folder, file];
}

/** @returns how many clicks there were, over all pages. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  let count = 0;
  const counter = await page.exposeFunction('countClick', () => {
    count += 1;
  });
  const script = await page.addInitScript({
    content: `addEventListener('click', (event) => event.isTrusted && countClick(), true);`,
  });
  whenLeft(page, () => script.dispose());
  whenLeft(page, () => counter.dispose());
  return async () => count;
}
