/** The page of a run over two thousand files, from its start to the retry of one of them. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { client } from '../../server/test/cast.ts';
import { folderOfFiles, run, type Stage, stage, versionOf } from '../../server/test/runs.ts';
import { until } from '../../server/test/until.ts';
import type { Order, ScriptedWorker } from '../../server/test/worker.ts';
import { registerNode } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLargeScreen, checkLooks } from './looks.ts';

const esc = '\u001b';
/** Markup, and a mark that turns the direction of what follows. */
const hostileName = '<img src=x onerror=alert(1)> \u202egpj.txt';
const hostileTitle = 'Check <b onmouseover=alert(5)>the words</b> \u202eno';
const hostileValue = '<img src=/stolen onerror=alert(6)>';
const hostileError = '<script>alert(2)</script> could not be read';
const hostileLog = [
  'reading the file',
  `${esc}[32mfine${esc}[0m so far`,
  '10 %\r60 %\r100 %',
  `${esc}]8;;javascript:alert(3)${esc}\\click here${esc}]8;;${esc}\\`,
  `${esc}[31mError: <b onmouseover=alert(4)>no</b>${esc}[0m \u202etxt.exe`,
  ...Array.from({ length: 3000 }, (_, line) => `line ${line} of what follows`),
  'the needle, and an error',
].join('\n');

/** Two steps for each file, without results, so that reports are all that a worker sends. */
async function twoSteps({ owner }: Stage) {
  const resources = { cpu: 0.01, memory_mb: 6, gpu: 0, disk_mb: 1 };
  const of = (key: string, title: string, id: number) => ({
    ...{ key, title, node_definition_id: id, map: true },
  });
  const [read, check] = await Promise.all(
    [0, 0].map(() => registerNode(owner, { resources, outputs: [] })),
  );
  return versionOf(owner, {
    nodes: [of('read', 'Read the page', read ?? 0), of('check', hostileTitle, check ?? 0)],
    edges: ['read', 'check'].map((node) => ({
      from: { input: 'files' },
      to: { node, port: 'in' },
    })),
    inputs: [{ name: 'files' }],
    variables: [
      { variable_name: 'width', type: 'integer', default: 280 },
      { variable_name: 'label', type: 'string', default: hostileValue },
    ],
  });
}

async function openRun(t: TestContext) {
  const people = await stage();
  const { owner, server, worker } = people;
  const password = 'correct horse battery';
  await setPassword(server.services.db, owner.user.id, password, { must_change: false });
  const hostile = (await owner.upload(hostileName, 'a picture')).body.id;
  const cog_ids = [hostile, await folderOfFiles(server, owner, 2000)];
  const { body } = await run(owner, await twoSteps(people), { cog_ids });
  const page = await openPage(t, {
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await signInto(
    page,
    server,
    { email: owner.user.email, password },
    `/runs/${body.workflow_run_id}`,
  );
  return { server, worker, page, asked, owner };
}

/** Takes orders and reports them all at once. */
async function workOn(
  { url }: { url: string },
  worker: ScriptedWorker,
  max: number,
  play: (order: Order) => object = () => ({ status: 'success', exit_code: 0 }),
): Promise<Order[]> {
  const free = { cpu: 8, memory_mb: 16_384, gpu: 0, disk_mb: 100_000 };
  const orders: Order[] = [];
  while (orders.length < max) {
    const more = await worker.acquire(Math.min(perCall, max - orders.length), free);
    if (more.length === 0) break;
    orders.push(...more);
    const reports = more.map((order) => ({
      ...{ attempt_id: order.attempt_id, lease_token: order.lease_token, ...play(order) },
    }));
    const path = `/workers/${worker.id}/exchange`;
    await client(url, worker.token).post(path, { reports, free, max: 0 });
  }
  return orders;
}

/** The service's limit. */
const perCall = 100;
const failure = { status: 'failure', error_class: 'exit_nonzero', exit_code: 3 };
const cell = (page: Page, file: string, column: number) =>
  page.getByRole('row').filter({ hasText: file }).getByRole('gridcell').nth(column);

describe('the page of a run', { skip: withoutBrowser }, () => {
  it('is watched, looked into, and one file is tried again', async (t) => {
    const { server, worker, page, asked } = await openRun(t);
    const grid = page.getByRole('grid', { name: 'Files and steps' });

    await t.test('it shows all files by few requests', async () => {
      await cell(page, '000001.txt', 0).waitFor();
      await page.getByRole('status').getByText('2,001 files').waitFor();
      assert.equal(await grid.getAttribute('aria-rowcount'), '2002');
      // More would be asked for meanwhile, which the next assertions would find.
      const pages = () => asked.filter((url) => url.includes('/grid?')).length;
      await until('all pages are asked for', () => pages() >= 3);
      assert.equal(pages(), 3);
    });

    await t.test('it tells of what, with which values, and where its files are', async () => {
      const title = page.getByRole('heading', { level: 1 }).getByRole('link');
      assert.match((await title.getAttribute('href')) ?? '', /\/workflows\/\d+$/);
      const variables = page.getByRole('list', { name: 'Variables' }).getByRole('listitem');
      assert.deepEqual(await variables.allInnerTexts(), [
        'width 280 default',
        `label ${hostileValue} default`,
      ]);
      await page.getByRole('columnheader', { name: hostileTitle }).waitFor();
      await page.getByRole('link', { name: 'folder of the first' }).waitFor();
    });

    await t.test('cells change as the worker works, without a request', async () => {
      const before = asked.length;
      const [bad] = await worker.acquire(1);
      await worker.log(bad, 0, hostileLog);
      const { status: _, ...reported } = failure;
      await worker.fail(bad, { ...reported, error_message: hostileError });
      await workOn(server, worker, 399, (order) =>
        order.shard_index === 300 ? failure : { status: 'success', exit_code: 0 },
      );
      await page.getByRole('gridcell', { name: 'Done' }).first().waitFor();
      await cell(page, 'gpj.txt', 0).and(page.getByLabel('Failed')).waitFor();
      // The bell begins to follow runs by itself, whenever it was loaded.
      const ofRun = asked.slice(before).filter((url) => /\/workflow-runs\/\d/.test(url));
      assert.deepEqual(ofRun, []);
    });

    await t.test('what failed later is offered to be shown first', async () => {
      assert.equal(await page.getByRole('row').filter({ hasText: '000300.txt' }).count(), 0);
      await page.getByRole('button', { name: '1 more file failed: show first' }).click();
      await cell(page, '000300.txt', 0).waitFor();
    });

    await t.test('files are found by state and by name, and the address keeps it', async () => {
      await page.getByText('Failed', { exact: true }).first().click();
      await page.getByText('2 of 2,001 files').waitFor();
      await page.getByLabel('Find a file by its name').fill('gpj');
      await page.getByText('1 of 2,001 files').waitFor();
      await page.waitForURL(/show=failed.*q=gpj|q=gpj.*show=failed/);
      await page.reload();
      await page.getByText('1 of 2,001 files').waitFor();
      await page.getByRole('button', { name: 'Look for nothing' }).click();
      await page.getByText('All', { exact: true }).first().click();
    });

    await t.test('a failed cell tells what happened, by keys alone', async () => {
      await grid.focus();
      await page.keyboard.press('n');
      await page.keyboard.press('Enter');
      await page.waitForURL(/cell=read(%3A|:)0/);
      const drawer = page.getByRole('dialog');
      await drawer.getByText('Its program reported a failure (exit code 3).').waitFor();
      await drawer.getByText(/The same step did \d+ other files of this run/).waitFor();
      await drawer.getByText(hostileError).waitFor();
      await drawer.getByText('3,006 lines').waitFor();
    });

    await t.test('its log opens at the first error, as text whatever it holds', async () => {
      const log = page.getByRole('region', { name: 'Log' });
      await log.getByText('Error: <b onmouseover=alert(4)>no</b>').waitFor();
      await log.getByText('\u27e8U+202E\u27e9').waitFor();
      await log.getByText('click here').waitFor();
      await log.getByText('100 %', { exact: true }).waitFor();
      assert.equal(await log.locator('a, b, img, script').count(), 0);
    });

    await t.test('a text is found in all of the log, and its line is in the address', async () => {
      const find = page.getByLabel('Find in the log');
      await find.fill('line 2');
      await page.getByText('1 of 1,111 lines').waitFor();
      await find.press('Enter');
      await page.getByText('2 of 1,111 lines').waitFor();
      await find.fill('NEEDLE');
      await page.getByText('1 of 1 line', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Line 3006' }).click();
      await page.waitForURL(/line=3006/);
      await page.reload();
      await page.getByRole('region', { name: 'Log' }).getByText('the needle').waitFor();
    });
    await checkLooks(page, 'cell of a run');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Close' }).click();
    await checkLooks(page, 'grid of a run');
    await checkLargeScreen(page, 'grid of a run');
    await page.setViewportSize({ width: 1280, height: 800 });

    await t.test('the title of the tab tells how far it is, and how it ended', async () => {
      const titled = (title: RegExp) =>
        until(`the title ${title}`, async () => title.test(await page.title()));
      await titled(/^9 % Test/);
      await workOn(server, worker, 10_000);
      await page.getByText('Not everything worked').waitFor();
      await titled(/^✓ 1,999 of 2,001: Test/);
    });

    await t.test('chosen files and cells can be run again together', async () => {
      await page.getByLabel('Choose 000001.txt').click();
      await cell(page, '000002.txt', 1).click({ modifiers: ['Control'] });
      await page.getByRole('toolbar').getByText('1 file and 1 cell').waitFor();
      await page.getByRole('button', { name: 'Run these again' }).click();
      await page.getByText('A new run does 1 file and 1 cell again').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Choose none' }).click();
    });

    await t.test(
      'one cell is tried again in a new run, and the others are taken over',
      async () => {
        await cell(page, '000300.txt', 0).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Try this again' }).click();
        await page.getByLabel('width').waitFor();
        await page.getByRole('button', { name: 'Run these again' }).click();
        await page.getByText('continues').waitFor();
        const orders = await workOn(server, worker, 10);
        assert.deepEqual(
          orders.map(({ node_key, shard_index }) => [node_key, shard_index]),
          [['read', 300]],
        );
        await page.getByLabel('Find a file by its name').fill('000300');
        await cell(page, '000300.txt', 0).and(page.getByLabel('Done')).waitFor();
        await cell(page, '000300.txt', 1).and(page.getByLabel('Reused')).waitFor();
      },
    );
    const outside = asked.filter((url) => !url.startsWith(server.url) && !url.startsWith('blob:'));
    assert.deepEqual(outside, []);
    assert.ok(!asked.some((url) => url.includes('stolen')));
  });
});
