/** Where a file comes from, and what was made from it, beside the list of files. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { scriptedWorker } from '../../server/test/worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';

const password = 'correct horse battery';

/** A scan, resized by run of a workflow with a variable. */
async function resizedScan() {
  const { server, admin } = await cast();
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  await storeCredentials(admin);
  const definition = await registerNode(admin, {
    name: 'resize',
    params: { type: 'object', properties: { width: { type: 'integer' } } },
    cache: { enabled: false, version: '1' },
  });
  const graph = {
    ...mappedGraph(definition, { title: 'Resize', params: { width: '{{vars.width}}' } }),
    variables: [{ variable_name: 'width', type: 'integer', default: 800 }],
  };
  const { body: workflow } = await admin.post('/workflows', { name: 'Scans to PDF', graph });
  const scan = (await admin.upload('scan.txt', 'a scan', undefined, 'text/plain')).body.id;
  const worker = await scriptedWorker(server, admin.user.tenant_id);
  const { body: started } = await admin.post(
    `/workflows/workflow-versions/${workflow.latest_version_id}/run`,
    { cog_ids: [scan], extra_variables: { width: 280 } },
  );
  await worker.work();
  const { run_files } = (await admin.get(`/workflows/workflow-runs/${started.workflow_run_id}`))
    .body;
  const result = run_files.find((one: { direction: string }) => one.direction === 'output').cog_id;
  const version = workflow.latest_version_id;
  return { server, admin, worker, scan, result, run: started.workflow_run_id, version };
}

describe('where a file comes from', { skip: withoutBrowser }, () => {
  it('is told beside it, leads to what it was made from, and makes it again', async (t) => {
    const { server, admin, worker, scan, result, run, version } = await resizedScan();
    const page = await openPage(t, { reducedMotion: 'reduce' });
    const person = { email: admin.user.email, password };
    await signInto(page, server, person, `/files?details=${result}`);
    const panel = page.getByRole('complementary', { name: 'Details of result.txt' });

    await t.test('in one sentence, with the step and its settings', async () => {
      await panel
        .getByText(
          `Made by test run ${run} of Scans to PDF, version 1, step Resize, from this file, with width 280.`,
        )
        .waitFor();
      await panel.getByText('What ran, exactly').click();
      await panel.getByText('Not fixed: only a tag was given').waitFor();
      await checkLooks(page, 'origin of a result');
      await page.setViewportSize({ width: 1280, height: 800 });
      const link = panel.getByRole('link', { name: `test run ${run}` });
      await link.click();
      await page.getByRole('dialog', { name: 'Resize' }).getByText('scan.txt').first().waitFor();
      await page.goBack();
    });

    await t.test('of the scan: who uploaded it, and what was made from it', async () => {
      await panel.getByRole('link', { name: 'scan.txt' }).click();
      const scanned = page.getByRole('complementary', { name: 'Details of scan.txt' });
      await scanned.getByText('Uploaded by you, just now. No run made it.').waitFor();
      await scanned.getByRole('link', { name: 'result.txt' }).waitFor();
      await checkLooks(page, 'what was made from a file');
      await page.setViewportSize({ width: 1280, height: 800 });
      await scanned.getByRole('link', { name: 'result.txt' }).click();
    });

    await t.test('of each version of it', async () => {
      const form = new FormData();
      form.append('file', new Blob(['corrected by hand']), 'result.txt');
      await admin.fetch(`/cogs/${result}/content`, { method: 'POST', body: form });
      await page.reload();
      await panel.getByText('Uploaded by you, just now. No run made it.').waitFor();
      await panel.getByRole('button', { name: 'Actions for version 1' }).click();
      await page.getByRole('menuitem', { name: 'Where it comes from' }).click();
      await panel.getByRole('heading', { name: 'Where version 1 comes from' }).waitFor();
      await panel.getByText(/^Made by/).waitFor();
    });

    await t.test('from its preview, too', async () => {
      await panel.getByRole('button', { name: 'Show over the whole window' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Where it comes from' }).click();
      await panel.getByRole('heading', { name: 'Where it comes from' }).waitFor();
      await panel.getByRole('button', { name: 'Actions for version 1' }).click();
      await page.getByRole('menuitem', { name: 'Where it comes from' }).click();
      await panel.getByText(/^Made by/).waitFor();
    });

    await t.test('again: the same version, file and variables', async () => {
      await panel.getByRole('button', { name: 'Make again…' }).click();
      await page.getByRole('heading', { name: 'New run' }).waitFor();
      await page.getByText('scan.txt').waitFor();
      assert.equal(await page.getByLabel('width').inputValue(), '280');
      await page.getByRole('button', { name: 'Start run' }).click();
      await page.getByRole('heading', { name: 'Scans to PDF' }).waitFor();
      const [order] = await worker.acquire();
      assert.deepEqual(order?.params, { width: 280 });
      const runs = (await admin.get('/workflows/workflow-runs')).body;
      assert.deepEqual(
        runs.map((one: { workflow_version_id: number }) => one.workflow_version_id),
        [version, version],
      );
      const uses = (await admin.get(`/cogs/${scan}/provenance/runs`)).body;
      assert.equal(uses.length, 2);
    });
  });
});
