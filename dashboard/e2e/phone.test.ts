/** One person's ways on a phone: change a setting, try it, run it, and find what failed and why. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { scriptedWorker } from '../../server/test/worker.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { type BuilderWorld, builderDefinitions, draftOf } from './builder-world.ts';

const password = 'correct horse battery';

const justCrop = ({ crop }: BuilderWorld) => ({
  nodes: [{ key: 'crop', node_definition_id: crop, title: 'Crop', map: true }],
  edges: [{ from: { input: 'scans' }, to: { node: 'crop', port: 'image' } }],
  inputs: [{ name: 'scans' }],
  variables: [],
});

const splitAndCrop = ({ split, crop }: BuilderWorld) => ({
  nodes: [
    { key: 'split', node_definition_id: split, title: 'Split' },
    { key: 'crop', node_definition_id: crop, title: 'Crop', map: true },
  ],
  edges: [
    { from: { input: 'scans' }, to: { node: 'split', port: 'pdf' } },
    { from: { node: 'split', port: 'pages' }, to: { node: 'crop', port: 'image' } },
  ],
  inputs: [{ name: 'scans', media_types: ['application/pdf'] }],
  variables: [],
});

/** A draft and files, opened on a phone. */
async function opened(t: TestContext, graph = justCrop as (world: BuilderWorld) => object) {
  const { server, admin } = await cast();
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  const worker = await scriptedWorker(server, admin.user.tenant_id);
  const world = await builderDefinitions(admin);
  for (const name of ['a.png', 'b.png', 'c.png']) await admin.upload(name, `picture ${name}`);
  await admin.upload('scan.pdf', '%PDF-1.4', undefined, 'application/pdf');
  const path = await draftOf(admin, 'Crop scans', graph(world));
  const page = await openPage(t, {
    reducedMotion: 'reduce',
    hasTouch: true,
    viewport: { width: 360, height: 740 },
  });
  const fits = async (where: string) => {
    const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assert.ok(Number(beyond) <= 0, `${beyond} px beyond the edge of ${where}`);
  };
  await signInto(page, server, { email: admin.user.email, password }, path);
  return { page, worker, fits, step: page.locator('[data-step="crop"]') };
}

/** Presses for so long that something happens meanwhile. */
async function pressDuring(page: Page, target: Locator, happen: () => Promise<unknown>) {
  await target.hover();
  await page.mouse.down();
  await happen();
  await page.mouse.up();
}

describe('on a phone', { skip: withoutBrowser }, () => {
  it('a setting is changed, and the file that failed then is found with its reason', async (t) => {
    const { page, worker, fits, step } = await opened(t);
    await step.click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Width' }).fill('300');
    await fits('the settings');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText(/^Saved \d/).waitFor();
    await fits('the builder');
    const checked = Promise.withResolvers<void>();
    await page.route('**/validation-worker*', async (route) => {
      await checked.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Version 1 is published, and never changes.').waitFor();
    await fits('the published version');
    await pressDuring(page, page.getByRole('link', { name: 'Run…' }), async () => {
      checked.resolve();
      await page.getByRole('button', { name: 'No faults' }).waitFor();
    });
    await page.getByRole('button', { name: 'Choose files' }).click();
    for (const name of ['a.png', 'b.png', 'c.png']) await page.getByLabel(`Choose ${name}`).click();
    await page.getByRole('button', { name: 'Choose 3 items' }).click();
    await fits('the new run');
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.waitForURL(/\/runs\/\d+/);
    await worker.work((order) =>
      order.inputs.some(({ name }: { name: string }) => name === 'b.png')
        ? worker.fail(order)
        : worker.succeed(order, [{ port: 'image', name: 'out.png', text: 'smaller' }]),
    );
    await page.getByText('Not everything worked').waitFor();
    await fits('the run');
    await page.getByRole('gridcell', { name: 'Failed' }).click();
    const cell = page.getByRole('dialog', { name: 'Crop' });
    await cell.getByText('b.png').first().waitFor();
    await cell.getByText(/^Its program reported a failure/).waitFor();
    await fits('the cell');
  });

  it('a setting is changed and tested on a file, and the result read, all in the list', async (t) => {
    const { page, worker, fits, step } = await opened(t);
    const list = new URL(page.url()).pathname;
    await step.tap();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Width' }).fill('300');
    await page.getByRole('button', { name: 'Close' }).tap();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Actions for Crop' }).tap();
    await page.getByRole('menuitem', { name: 'Test up to this step' }).tap();
    await page.getByRole('button', { name: 'Choose files' }).tap();
    await page.getByLabel('Choose b.png').tap();
    await page.getByRole('button', { name: 'Choose 1 item' }).tap();
    await fits('the sample');
    await page.getByRole('button', { name: 'Use these' }).tap();
    const results = page.getByRole('dialog', { name: 'Results of Crop' });
    await results.getByText('Testing up to Crop …').waitFor();
    const telling = page.getByRole('status').filter({ hasText: 'Testing up to Crop' });
    assert.equal(await telling.count(), 1, 'It is told twice.');
    const [order] = await worker.work(async (taken) => {
      await worker.started(taken);
      await worker.log(taken, 0, 'reading b.png\n');
      await worker.fail(taken);
    });
    assert.equal(order.params.width, 300);
    await results.getByText('Failed before or at Crop').waitFor();
    await results.getByText('exit code 1').waitFor();
    await results.getByText('reading b.png').waitFor();
    await fits('the results');

    await results.getByRole('button', { name: 'Close' }).tap();
    await results.waitFor({ state: 'detached' });
    await page.locator('[data-step="crop"]:focus').waitFor();
    await fits('the list');
    await step.tap();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Width' }).fill('200');
    await page.getByRole('button', { name: 'Close' }).tap();
    await page.getByText('Failed, changed since').waitFor();
    await page.getByRole('button', { name: 'Test up to Crop' }).tap();
    await results.getByText('Testing up to Crop …').waitFor();
    const [again] = await worker.work((taken) =>
      worker.succeed(taken, [{ port: 'image', name: 'small b.png', text: 'smaller' }]),
    );
    assert.equal(again.params.width, 200);
    await results.getByText('Tested up to Crop').waitFor();
    await results.getByText('small b.png').first().waitFor();

    // Back leads to the list, and its row to the results once more.
    await page.goBack();
    await results.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Up to date 1 file, 7 B\s?, results of Crop$/ }).tap();
    await results.getByText('small b.png').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[data-step="crop"]:focus').waitFor();
    assert.equal(new URL(page.url()).pathname, list);

    // The draft runs on what it was tested with, and with what was edited a moment ago.
    await page.getByRole('link', { name: 'Run…' }).tap();
    await page.getByRole('button', { name: 'Leave out b.png' }).waitFor();
    await page.getByText('A draft may change; this will be marked as a test run.').waitFor();
    await page.goBack();

    await page.getByRole('link', { name: 'Back to the workflow' }).tap();
    await page.getByRole('button', { name: 'Actions for version 1' }).tap();
    await fits('the versions');
    await page.getByRole('menuitem', { name: 'Publish…' }).tap();
    await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
  });

  it('a test tells the step that failed before the one that was tested, and leads to it', async (t) => {
    const { page, worker, fits } = await opened(t, splitAndCrop);
    await page.getByRole('button', { name: 'Actions for Crop' }).tap();
    await page.getByRole('menuitem', { name: 'Test up to this step' }).tap();
    await page.getByRole('button', { name: 'Choose files' }).tap();
    await page.getByLabel('Choose scan.pdf').tap();
    await page.getByRole('button', { name: 'Choose 1 item' }).tap();
    await page.getByRole('button', { name: 'Use these' }).tap();
    const results = page.getByRole('dialog', { name: 'Results of Crop' });
    await results.getByText('Testing up to Crop …').waitFor();
    await results.getByText('Waiting for a worker').waitFor();
    await worker.work((order) => worker.fail(order));
    await results.getByText('Failed before or at Crop').waitFor();
    await fits('the results of a step that was left out');
    await results.getByRole('button', { name: /^Failed exit code 1\s?, results of Split$/ }).tap();
    const other = page.getByRole('dialog', { name: 'Results of Split' });
    await other.getByText('exit code 1').waitFor();
    await other.getByText('This step wrote nothing.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[data-step="split"]:focus').waitFor();
  });
});
