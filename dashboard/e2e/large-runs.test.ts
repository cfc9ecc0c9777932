/** Runs with more files and steps than are included in a run. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Client } from '../../server/test/cast.ts';
import { folderOfFiles, gatherGraph, run, stage, versionOf } from '../../server/test/runs.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import type { Order } from '../../server/test/worker.ts';
import { registerNode } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

/** The open page of a run over 1,010 files: by default `each` for every file, then `gather`. */
async function openLargeRun(
  t: TestContext,
  graphOf: (client: Client) => Promise<object> = gatherGraph,
) {
  const { owner, server, worker } = await stage();
  const person = await userWithPassword(server, owner.user.tenant_id);
  const version = await versionOf(owner, await graphOf(owner));
  const cog_ids = [await folderOfFiles(server, owner, 1010)];
  const { body } = await run(owner, version, { cog_ids });
  const page = await openPage(t, { reducedMotion: 'reduce' });
  await signInto(page, server, person);
  await page.goto(`${server.url}/app/runs/${body.workflow_run_id}`);
  const graph = page.getByRole('region', { name: 'Graph of this run' });
  const node = (key: string, note: string) =>
    graph.getByRole('button', { name: `${key} ${note}`, exact: true });
  const cell = (row: string, column = 0) =>
    page.getByRole('row').filter({ hasText: row }).getByRole('gridcell').nth(column);
  return { page, owner, worker, id: body.workflow_run_id as number, node, cell };
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
    assert.deepEqual(asked, []);
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
    assert.equal(await tooltip.getByText(name(late)).count(), 0);
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
