import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, gatherGraph, run, stage } from '../../server/test/runs.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import type { Order } from '../../server/test/worker.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

describe('what happens while a page is open', { skip: withoutBrowser }, () => {
  it('shows on the page of the run, which asks for nothing meanwhile', async (t) => {
    const people = await stage();
    const { owner, server, worker } = people;
    const person = await userWithPassword(server, owner.user.tenant_id);
    const { body: workflow } = await owner.post('/workflows', {
      name: 'Live',
      graph: await gatherGraph(owner),
    });
    const started = await run(owner, workflow.latest_version_id, {
      cog_ids: await filesOf(owner, 'a.txt', 'b.txt'),
    });
    const page = await openPage(t);
    await signInto(page, server, person);
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/workflows/workflow-runs/')) asked.push(pathname);
    });
    await page.goto(`${server.url}/app/runs/${started.body.workflow_run_id}`);
    const path = `/workflows/workflow-runs/${started.body.workflow_run_id}`;
    const cell = (file: string) =>
      page.getByRole('row').filter({ hasText: file }).getByRole('gridcell').first();
    await page.getByRole('progressbar').waitFor();
    await cell('a.txt').waitFor();
    assert.deepEqual(asked.splice(0), [`${path}/events`, path, `${path}/grid`]);

    const [first, second] = (await worker.acquire(2)) as [Order, Order];
    await page.getByText('0 of 2 done').first().waitFor();
    await cell('b.txt').and(page.getByLabel('Running')).waitFor();
    await worker.fail(second);
    await page.getByText('0 of 2 done · 1 failed').waitFor();
    await cell('b.txt').and(page.getByLabel('Failed')).waitFor();
    await cell('a.txt').and(page.getByLabel('Running')).waitFor();
    assert.deepEqual(asked.splice(0), []);

    // What is added to a log is read, and only while it is open.
    await cell('a.txt').click();
    await page.getByText('Nothing written yet.').waitFor();
    await worker.log(first, 0, 'a line of the log\n');
    await page.getByText('a line of the log').waitFor();
    await worker.log(first, 18, 'and another');
    await page.getByText('and another').waitFor();
    assert.equal(asked.splice(0).filter((one) => one.endsWith('/logs')).length, 3);
    await page.keyboard.press('Escape');

    await worker.succeed(first);
    await page.getByText('Failed', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
  });

  it('shows in the list of runs: a new one, and how it ends', async (t) => {
    const people = await stage();
    const { owner, server, worker } = people;
    const person = await userWithPassword(server, owner.user.tenant_id);
    const { body: workflow } = await owner.post('/workflows', {
      name: 'Listed',
      graph: await gatherGraph(owner),
    });
    const page = await openPage(t);
    await signInto(page, server, person, '/runs');
    await page.getByText('No runs yet').waitFor();

    await run(owner, workflow.latest_version_id, { cog_ids: await filesOf(owner, 'a.txt') });
    const row = page.getByRole('row').filter({ hasText: 'Listed' });
    await row.getByText('Queued').waitFor();
    await worker.work();
    await row.getByText('Success').waitFor();
  });

  it('shows on the page of a workflow: a new version, and that it is published', async (t) => {
    const { owner, server } = await stage();
    const person = await userWithPassword(server, owner.user.tenant_id);
    const graph = await gatherGraph(owner);
    const { body: workflow } = await owner.post('/workflows', { name: 'Edited', graph });
    const page = await openPage(t);
    await signInto(page, server, person, `/workflows/${workflow.id}`);
    const row = (version: number) =>
      page.getByRole('row').filter({ hasText: `Version ${version}` });
    await row(1).getByText('Draft').waitFor();

    await owner.post(`/workflows/workflow-versions/${workflow.latest_version_id}/publish`);
    await row(1).getByText('Published').waitFor();
    await owner.post(`/workflows/${workflow.id}/versions`, {});
    await row(2).getByText('Draft').waitFor();
  });
});
