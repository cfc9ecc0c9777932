/** Runs with more files and steps than are included in a run. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Client } from '../../server/test/cast.ts';
import { folderOfFiles, gatherGraph, run, stage, versionOf } from '../../server/test/runs.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../../server/test/worker.ts';
import { mappedGraph, registerNode } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';

/** The open page of a run over 1,010 files: by default `each` for every file, then `gather`. */
async function openLargeRun(
  t: TestContext,
  graphOf: (client: Client) => Promise<object> = gatherGraph,
  count = 1010,
) {
  const { owner, server, worker } = await stage();
  const person = await userWithPassword(server, owner.user.tenant_id);
  const version = await versionOf(owner, await graphOf(owner));
  const cog_ids = [await folderOfFiles(server, owner, count)];
  const { body } = await run(owner, version, { cog_ids });
  const page = await openPage(t, { reducedMotion: 'reduce' });
  await signInto(page, server, person, `/runs/${body.workflow_run_id}`);
  const graph = page.getByRole('region', { name: 'Graph of this run' });
  const node = (key: string, note: string) =>
    graph.getByRole('button', { name: `${key} ${note}`, exact: true });
  const cell = (row: string, column = 0) =>
    page.getByRole('row').filter({ hasText: row }).getByRole('gridcell').nth(column);
  return { page, owner, server, worker, id: body.workflow_run_id as number, node, cell };
}

/** `each` for every file, on a worker larger than there is, and beside it `all` for all files. */
async function stuckGraph(client: Client) {
  const resources = { cpu: 64, memory_mb: 64, gpu: 0, disk_mb: 64 };
  const each = await registerNode(client, { resources });
  const all = await registerNode(client, { inputs: [{ name: 'in', cardinality: 'many' }] });
  return {
    nodes: [
      { key: 'each', node_definition_id: each, map: true },
      { key: 'all', node_definition_id: all },
    ],
    edges: ['each', 'all'].map((node) => ({ from: { input: 'files' }, to: { node, port: 'in' } })),
    inputs: [{ name: 'files' }],
    variables: [],
  };
}

/** One small step for every file, with any number of results. */
async function manyResults(client: Client) {
  const resources = { cpu: 0.01, memory_mb: 6, gpu: 0, disk_mb: 1 };
  const outputs = [{ name: 'out', glob: '*', cardinality: 'many' }];
  return mappedGraph(await registerNode(client, { resources, outputs }));
}

/** The order for one file of a run, and who has it; those before it stay with their workers. */
async function orderOf(workers: readonly ScriptedWorker[], lane: number) {
  for (const worker of workers) {
    let orders: Order[];
    do {
      orders = await worker.acquire(100);
      const order = orders.find(({ shard_index }) => shard_index === lane);
      if (order) return { worker, order };
    } while (orders.length > 0);
  }
  throw new Error(`There is no work for file ${lane}.`);
}

describe('the page of a run with very many files', { skip: withoutBrowser }, () => {
  it('shows the files that are in view, and keys lead to the last', async (t) => {
    const { page, cell } = await openLargeRun(t);
    await cell('000001.txt').waitFor();
    assert.equal(await page.getByText('001010.txt').count(), 0);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+End');
    await cell('001010.txt').waitFor();
    assert.ok((await page.getByRole('row').count()) < 60);
  });

  it('has its rows in their order in the page, once scrolling has ended', async (t) => {
    const { page, cell } = await openLargeRun(t);
    await cell('000001.txt').waitFor();
    // On by a few rows, back, and far away.
    for (const top of [300, 700, 500, 9000, 9400]) {
      await page.evaluate(`new Promise((done) => {
        document.querySelector('[role="grid"]').scrollTop = ${top};
        requestAnimationFrame(done);
      })`);
    }
    await cell('000280.txt').waitFor();
    await page.evaluate(`new Promise((done) => {
      const look = () => {
        const rows = [...document.querySelectorAll('[role="grid"] [aria-rowindex]')];
        const at = rows.map((row) => Number(row.getAttribute('aria-rowindex')));
        const isInOrder = at.every((row, index) => index === 0 || row > at[index - 1]);
        if (isInOrder) done();
        else requestAnimationFrame(look);
      };
      look();
    })`);
  });

  it('tells how many steps are how, while it runs and after it was cancelled', async (t) => {
    const { page, owner, worker, id, node, cell } = await openLargeRun(t);
    await node('each', '0 of 1,010 done').waitFor();
    await node('gather', 'waiting').waitFor();

    const [first, second] = (await worker.acquire(2)) as [Order, Order];
    await worker.succeed(first);
    await node('each', '1 of 1,010 done').waitFor();
    await worker.fail(second);
    await node('each', '1 of 1,010 done · 1 failed').waitFor();
    await page.getByText('2 → 1', { exact: true }).waitFor();
    await cell('000003.txt').and(page.getByLabel('Queued')).waitFor();

    await owner.post(`/workflows/workflow-runs/${id}/cancel`, {});
    const cancelled = ['1 of 1,010 done · 1 failed · 1,008 cancelled', 'cancelled'] as const;
    const isTold = async () => {
      await node('each', cancelled[0]).waitFor();
      await node('gather', cancelled[1]).waitFor();
    };
    await isTold();
    await page.reload();
    await isTold();
    await page.getByRole('button', { name: 'Restart the rest' }).waitFor();
    const passed = page.getByText('1,010 → 1', { exact: true });
    await passed.waitFor();
    // A string, because it runs in the page, whose types this test does not have.
    const fill = await page.evaluate(`getComputedStyle(
      [...document.querySelectorAll('text')].find((one) => one.textContent === '1,010 → 1'),
    ).fill`);
    assert.equal(fill, 'rgb(184, 36, 42)');
    await checkLooks(page, 'graph of a run');
  });

  it('shows what becomes of a step that is not among the first, without reading it again', async (t) => {
    const { page, worker, node, cell } = await openLargeRun(t, stuckGraph);
    const all = cell('Once for all files', 1);
    await all.and(page.getByLabel('Queued')).waitFor();
    await cell('001000.txt').or(cell('000001.txt')).first().waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));

    const [order] = (await worker.acquire()) as [Order];
    await all.and(page.getByLabel('Running')).waitFor();
    await worker.fail(order);
    await all.and(page.getByLabel('Failed')).waitFor();
    await node('all', 'failed').waitFor();
    // The bell begins to follow runs by itself, whenever it was loaded.
    assert.deepEqual(
      asked.filter((path) => /\/workflow-runs\/\d/.test(path)),
      [],
    );
  });

  it('shows the result of file 1,500, one of more than come with the run, and leads to it', async (t) => {
    const { page, owner, server, worker, id } = await openLargeRun(t, manyResults, 2000);
    const make = (by: ScriptedWorker, order: Order, names: string[]) =>
      by.succeed(
        order,
        names.map((name) => ({ port: 'out', name, text: 'the same' })),
      );
    const others = Array.from({ length: 501 }, (_, at) => `other ${at}.txt`);
    for (const order of await worker.acquire(2)) await make(worker, order, others);
    // One worker is too small for all that is before it.
    const second = await scriptedWorker(server, owner.user.tenant_id);
    const found = await orderOf([worker, second], 1499);
    await make(found.worker, found.order, ['own.txt']);
    const query = 'direction=output&offset=1002';
    const { body } = await owner.get(`/workflows/workflow-runs/${id}/files?${query}`);
    const [own] = body as { cog_id: number; name: string }[];
    assert.equal(own?.name, 'own.txt');

    await page.getByLabel('Find a file by its name').fill('001500');
    await page.getByRole('row').filter({ hasText: '001500.txt' }).getByRole('gridcell').click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('heading', { name: /each/ }).waitFor();
    await drawer.getByText('001500.txt').first().waitFor();
    await drawer.getByRole('link', { name: 'own.txt' }).click();
    await page.waitForURL(new RegExp(`/files/\\d+\\?.*preview=${own?.cog_id}`));
  });

  it('tells nothing of a file in the row that shows another by now', async (t) => {
    const { page, worker, cell } = await openLargeRun(t);
    const orders = (await worker.acquire(2)) as [Order, Order];
    const [early, late] = orders.toSorted((a, b) => (a.shard_index ?? 0) - (b.shard_index ?? 0));
    assert.ok(early && late);
    await worker.fail(late);
    await page.goto(`${page.url()}?show=failed`);
    const name = (order: Order) => order.inputs[0].name as string;
    await cell(name(late)).hover();
    const tooltip = page.getByRole('tooltip');
    await tooltip.getByText(name(late)).waitFor();
    await worker.fail(early);
    // It comes first, where the mouse is.
    await cell(name(early)).waitFor();
    await tooltip.getByText(name(late)).waitFor({ state: 'detached' });
  });

  it('shows all of a long note to the mouse and to the keyboard', async (t) => {
    const { page, owner, worker, id, node } = await openLargeRun(t);
    const [first, second] = (await worker.acquire(2)) as [Order, Order];
    await worker.succeed(first);
    await worker.fail(second);
    await owner.post(`/workflows/workflow-runs/${id}/cancel`, {});
    const note = '1 of 1,010 done · 1 failed · 1,008 cancelled';
    // On a phone the graph is put away at first.
    await node('each', note).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    const each = node('each', note);
    const tooltip = page.getByRole('tooltip').getByText(note);

    await each.hover();
    await tooltip.waitFor();
    await page.mouse.move(0, 0);
    await tooltip.waitFor({ state: 'hidden' });
    // The focus has to come from the keyboard.
    await node('gather', 'cancelled').focus();
    await page.keyboard.press('Shift+Tab');
    await tooltip.waitFor();
  });
});
