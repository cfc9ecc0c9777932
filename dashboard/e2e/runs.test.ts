import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startEngine } from '../../server/src/engine/loop.ts';
import { startLocalWorker } from '../../server/src/roles/local-worker.ts';
import { cast } from '../../server/test/cast.ts';
import { type TestServer, testServer } from '../../server/test/server.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { mappedGraph, registerNode } from '../../server/test/workflows.ts';
import { busyboxImage, pushImage } from '../../tools/containers/images.ts';
import { type Registry, startRegistry } from '../../tools/containers/registry.ts';
import { ensureTestTools } from '../../tools/containers/setup.ts';
import { removeEngine } from '../../worker/src/containers/engine.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

const tools = await ensureTestTools({ install: false, log: () => {} });
const skip = withoutBrowser || (tools.ready ? false : `${tools.problem}`);

type World = { server: TestServer; registry: Registry; image: string };

/** The whole platform: server, engine, a worker with real containers, a private registry. */
async function world(): Promise<World> {
  const server = await testServer();
  const engine = startEngine(server.services);
  const worker = await startLocalWorker(server.services, Number(new URL(server.url).port));
  const folder = `${server.services.config.data_dir}/registry`;
  const registry = await startRegistry({ folder });
  const { config, keys } = server.services;
  const engineOptions = {
    state_dir: join(config.data_dir, 'worker/containers'),
    installation: keys.installation_id,
  };
  // Without root, only podman can delete the image store.
  server.beforeStop(() => removeEngine(engineOptions));
  server.beforeStop(() => engine.stop());
  server.beforeStop(() => registry.stop());
  server.beforeStop(() => worker.stop());
  const target = { server: registry.server, repository: 'tools', tag: '1' };
  await pushImage(await busyboxImage(), target, registry.credentials);
  return { server, registry, image: `${registry.server}/tools:1` };
}

describe('a run in the browser', { skip }, () => {
  it('starts from chosen files, is watched to its end, and gives its results', async (t) => {
    const { server, registry, image } = await world();
    const { admin } = await cast(server);
    const person = await userWithPassword(server, admin.user.tenant_id);
    await admin.post('/secrets', {
      name: 'REGISTRY',
      kind: 'registry',
      value: { server: registry.server, ...registry.credentials },
    });
    const definition = await registerNode(admin, {
      image,
      command: [
        'sh',
        '-c',
        'sleep 1; case "$1" in bad) echo broken >&2; exit 3;; esac; tr a-z A-Z < "$0" > "/data/outputs/$1.$2"',
        '{{inputs.in.path}}',
        '{{file.stem}}',
        '{{vars.ending}}',
      ],
    });
    const graph = {
      ...mappedGraph(definition, { title: 'Shout' }),
      variables: [{ variable_name: 'ending', type: 'string', required: true, pattern: '^[a-z]+$' }],
    };
    const { body: workflow } = await admin.post('/workflows', { name: 'Loud', graph });
    await admin.post(`/workflows/workflow-versions/${workflow.latest_version_id}/publish`);

    const page = await openPage(t);
    await signInto(page, server, person);
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([
        { name: 'good.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
        { name: 'bad.txt', mimeType: 'text/plain', buffer: Buffer.from('world') },
      ]);
    await page.getByText('2 files uploaded').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByLabel('Choose good.txt').click();
    await page.getByLabel('Choose bad.txt').click();
    await page.getByRole('button', { name: 'Run workflow…' }).click();

    await page.getByRole('combobox', { name: 'Workflow' }).click();
    await page.getByRole('option', { name: 'Loud' }).click();
    await page.getByLabel(/ending/).fill('NO');
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.getByText(/must match/i).waitFor();
    await page.getByLabel(/ending/).fill('txt');
    await page.getByRole('button', { name: 'Start run' }).click();

    await page.getByRole('heading', { name: 'Loud' }).waitFor();
    await page.getByRole('progressbar').waitFor();
    await page.getByText('Partial success', { exact: true }).waitFor();
    assert.equal(await page.getByRole('progressbar').count(), 0);
    await page.getByText(/1 of 2 files failed/).waitFor();
    await page
      .getByRole('button', { name: /^Shout/ })
      .getByText('1 of 2 done · 1 failed')
      .waitFor();

    const failed = page.getByRole('row').filter({ hasText: 'bad.txt' });
    await failed.getByRole('gridcell', { name: 'Failed' }).click();
    await page.getByText('exit code 3').first().waitFor();
    await page.getByRole('region', { name: 'Log' }).getByText('broken').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: /Outputs/ }).click();
    await page.getByRole('row').filter({ hasText: 'good.txt' }).waitFor();
    await page.getByRole('link', { name: 'Open the folder' }).click();
    await page.getByRole('button', { name: 'good.txt', exact: true }).waitFor();

    await page.getByRole('link', { name: 'Runs' }).first().click();
    await page.getByRole('row').filter({ hasText: 'Loud' }).getByText('Partial success').waitFor();
  });
});
