/** Secrets, workers, templates and notices in the browser: whole stories. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { type Cast, cast, client } from '../../server/test/cast.ts';
import { receiversAllowed, send } from '../../server/test/notices.ts';
import { receiver } from '../../server/test/receivers.ts';
import { filesOf, run, versionOf } from '../../server/test/runs.ts';
import { startServer, type TestServer } from '../../server/test/server.ts';
import { scriptedWorker } from '../../server/test/worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';

let started: Promise<TestServer> | undefined;

/** A new organization, and its administrator in the browser. */
async function at(t: TestContext, path: string) {
  // Nothing listens there: no mail is to arrive.
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@cogworks.test' };
  started ??= startServer({ ...receiversAllowed, ...mail });
  const people = await cast(await started);
  const { server, admin } = people;
  const password = 'correct horse battery';
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  const page = await openPage(t, { reducedMotion: 'reduce' });
  await signInto(page, server, { email: admin.user.email, password }, path);
  const look = async (name: string) => {
    await checkLooks(page, name);
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  return { ...people, page, look, go: (to: string) => page.goto(`${server.url}/app${to}`) };
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

async function choose(page: Page, menu: string | RegExp, item: string | RegExp) {
  await button(page, menu).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** A published workflow of one node that gets a secret. */
async function workflowWith({ admin }: Cast, secret: string) {
  const params = { type: 'object', properties: { key: { type: 'string', 'x-secret': true } } };
  const definition = await registerNode(admin, { params });
  const graph = mappedGraph(definition, { params: { key: { $secret: secret } } });
  const { body } = await admin.post('/workflows', { name: 'Forecast', graph });
  await admin.post(`/workflows/workflow-versions/${body.latest_version_id}/publish`);
}

describe('secrets in the browser', { skip: withoutBrowser }, () => {
  it('are stored, replaced, and deleted when nothing needs them any more', async (t) => {
    const people = await at(t, '/settings/secrets');
    const { page, admin, look } = people;
    await page.getByText('No secrets stored yet').waitFor();
    const commands = page.getByRole('region', { name: 'Push an image' });
    const { host } = new URL(people.server.url);
    const name = `${host}/t${admin.user.tenant_id}/my-tool:1`;
    await commands.getByText(`podman push --tls-verify=false my-tool ${name}`).waitFor();
    await look('no secrets');

    await button(page, 'New secret').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('For a registry', { exact: true }).click();
    await page.getByLabel('Server').fill('no host!');
    await page.getByLabel('User name').fill('robot');
    await page.getByLabel('Password or token', { exact: true }).fill('secret');
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'REGISTRY_NO_HOST');
    await button(page, 'Store secret').click();
    await page.getByText('server must be a host').waitFor();
    await look('new registry secret');
    await dialog.getByText('For steps', { exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('weather key');
    await page.getByLabel('Value', { exact: true }).fill('two\nlines');
    await look('new secret');
    await button(page, 'Store secret').click();
    await page.getByText('WEATHER_KEY is stored.').waitFor();
    await storeCredentials(admin);
    await workflowWith(people, 'WEATHER_KEY');

    await choose(page, 'Actions for WEATHER_KEY', 'Replace');
    await page.getByLabel('Value', { exact: true }).fill('another');
    await button(page, 'Replace').click();
    await page.getByText('WEATHER_KEY has a new value, version 2.').waitFor();
    await look('secrets');

    let tests = 0;
    await page.route('**/secrets/*/test', (route) => {
      tests += 1;
      return tests > 1
        ? route.continue()
        : route.fulfill({ status: 409, json: { detail: 'Busy.' } });
    });
    await page.getByRole('button', { name: /^Actions for REGISTRY_/ }).click();
    await page.getByRole('menuitem', { name: 'Test the connection' }).click();
    await dialog.getByText('Busy.').waitFor();
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await dialog.getByText('Busy.').waitFor();
    assert.equal(tests, 1, 'Coming back to the tab does not test again.');
    await dialog.getByRole('button', { name: 'Test again' }).click();
    await dialog.getByText('127.0.0.1:5999 refuses or closes the connection.').waitFor();
    await look('secret test');
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();

    await choose(page, 'Actions for WEATHER_KEY', 'Delete');
    await page.getByText('It is in use and cannot be deleted now').waitFor();
    await look('secret in use');
    await page.getByRole('link', { name: 'Forecast' }).click();
    await choose(page, 'Actions for version 1', 'Archive');
    await dialog.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('Version 1 is archived.').waitFor();
    await people.go('/settings/secrets');
    await choose(page, 'Actions for WEATHER_KEY', 'Delete');
    await page.getByText('No published workflow needs it.').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('WEATHER_KEY is deleted.').waitFor();
    const { body } = await admin.get('/secrets');
    assert.ok(body.every((one: { name: string }) => one.name !== 'WEATHER_KEY'));
  });
});

describe('workers in the browser', { skip: withoutBrowser }, () => {
  it('are added by a command, show what they do, are drained and revoked', async (t) => {
    const { page, admin, server, look } = await at(t, '/settings/workers');
    await page.getByText('No workers yet').waitFor();
    await button(page, 'Add a worker').click();
    await page.getByLabel('Name').fill('gpu one');
    await look('add a worker');
    await button(page, 'Make the command').click();
    const command = await page.getByRole('region', { name: 'Start the worker' }).textContent();
    assert.match(command ?? '', /npm run worker -- --name 'gpu one'$/);
    const [enrollment_token] = /wet_[\w-]+/.exec(command ?? '') ?? [];
    await page.getByText('Waiting for the worker.').waitFor();
    const { body } = await client(server.url).post('/workers', {
      ...{ enrollment_token, name: 'gpu one', labels: ['gpu', 'cellar'], version: '1.2.0' },
      capacity: { cpu: 8, memory_mb: 16_000, gpu: 1, disk_mb: 500_000 },
    });
    await page.getByText('is enrolled, and prepares its containers').waitFor();
    const started = await client(server.url, body.worker_token).post(
      `/workers/${body.id}/start`,
      {},
    );
    await page.getByText('is connected and takes work.').waitFor();
    await look('a worker has come');
    await button(page, 'Done').click();

    await storeCredentials(admin);
    const version = await versionOf(admin, mappedGraph(await registerNode(admin)));
    const { workflow_run_id } = (
      await run(admin, version, { cog_ids: await filesOf(admin, 'a', 'b') })
    ).body;
    const own = client(server.url, `${body.worker_token}.${started.body.epoch}`);
    const free = { cpu: 8, memory_mb: 16_000, gpu: 1, disk_mb: 500_000 };
    const in_use = { cpu: 2.5, memory_mb: 4000 };
    await own.post(`/workers/${body.id}/heartbeat`, { attempts: [], in_use });
    const { body: orders } = await own.post(`/workers/${body.id}/acquire`, { free, max: 2 });
    for (const { attempt_id, lease_token } of orders)
      await own.post(`/workers/${body.id}/attempts/${attempt_id}/started`, { lease_token });
    await scriptedWorker(server, admin.user.tenant_id);
    const row = page.getByRole('listitem').filter({ hasText: 'gpu one' });
    await row.getByRole('link', { name: `Run #${workflow_run_id}` }).waitFor();
    await row.getByText('each × 2').waitFor();
    await button(page, 'Actions for gpu one').click();
    await page.getByRole('menuitem', { name: 'Revoke' }).waitFor();
    await look('workers');
    await page.keyboard.press('Escape');

    await choose(page, 'Actions for gpu one', 'Drain');
    await row.getByText('Draining').waitFor();
    await choose(page, 'Actions for gpu one', 'Let it take work');
    await row.getByText('Online').waitFor();
    await choose(page, 'Actions for gpu one', 'Revoke');
    await page.getByText('What it runs is lost').waitFor();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    assert.equal((await own.post(`/workers/${body.id}/heartbeat`, { attempts: [] })).status, 401);
  });
});

describe('templates in the browser', { skip: withoutBrowser }, () => {
  it('are kept of a workflow, found, and become a workflow', async (t) => {
    const people = await at(t, '/workflows');
    const { page, look } = people;
    await page.getByRole('link', { name: 'Begin with a template' }).click();
    await page.getByRole('navigation', { name: 'Workflows, templates and steps' }).waitFor();
    await workflowWith(people, 'WEATHER_KEY');
    await people.go('/workflows');
    await page.getByRole('link', { name: /Forecast/ }).click();
    await choose(page, 'Actions for version 1', 'Keep as a template');
    await page.getByLabel('Name', { exact: true }).fill('Weather of tomorrow');
    await page.getByLabel('Description').fill('Asks a service, and makes a picture of the answer.');
    await page.getByRole('combobox', { name: 'Category' }).fill('Weather');
    await look('keep as a template');
    await page.getByRole('dialog').getByRole('button', { name: 'Keep as a template' }).click();

    await page.getByRole('heading', { name: 'Weather of tomorrow' }).waitFor();
    await page.getByText('It uses the secret WEATHER_KEY: an administrator adds it.').waitFor();
    await page.getByRole('link', { name: 'Add the secret' }).first().waitFor();
    await look('template');
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByLabel('Search templates').fill('tomorrow asks');
    await page.getByText('Weather', { exact: true }).first().click();
    await look('templates');
    await page.getByRole('link', { name: /Weather of tomorrow/ }).click();
    await button(page, 'Use template').click();
    await page.getByText(/things? that it needs (is|are) missing yet/).waitFor();
    await page.getByLabel('Name of the new workflow').fill('Rain');
    await look('use a template');
    await button(page, 'Make workflow').click();
    await page.getByRole('heading', { name: 'Rain' }).waitFor();
    await page.getByRole('region', { name: 'Graph of version 1' }).waitFor();

    await page.goBack();
    await button(page, 'Delete').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('“Weather of tomorrow” is deleted.').waitFor();
  });
});

describe('notices in the browser', { skip: withoutBrowser }, () => {
  it('are set up, tried out, sent again, and say why they pause', async (t) => {
    const { page, admin, server, look } = await at(t, '/settings/notices');
    const hook = await receiver((response) => response.writeHead(500).end());
    await page.getByText('No notices yet').waitFor();
    await button(page, 'New notice').click();
    await page.getByLabel('URL', { exact: true }).fill('http://example.com/hook');
    await button(page, 'Create notice').click();
    await page.getByText(/https/).nth(1).waitFor();
    await look('new notice');
    await page.getByLabel('URL', { exact: true }).fill(hook.url);
    await page.getByLabel('Name').fill('Ops');
    await button(page, 'Create notice').click();
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    assert.match(secret, /^whsec_/);
    await page.keyboard.press('Escape');
    await page.getByText('If you leave without the secret').waitFor();
    await button(page, 'I have saved it').click();
    await look('notices');
    await page.getByRole('link', { name: 'Ops' }).click();

    await button(page, 'Send a test').click();
    const row = page.getByRole('row').filter({ hasText: 'Test' });
    await row.waitFor();
    await send(server);
    await row.getByText('Given up').waitFor();
    hook.answer = (response) => response.writeHead(204).end();
    await row.getByRole('button', { name: 'Test' }).click();
    await button(page, 'Send again').click();
    await page.getByText('It is sent once more').waitFor();
    await send(server);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Delivered').waitFor();
    await dialog
      .getByRole('cell', { name: /^(500|204)$/ })
      .nth(1)
      .waitFor();
    await look('message of a notice');
    await page.keyboard.press('Escape');
    await page.getByText('No message arrives').waitFor({ state: 'detached' });

    await choose(page, 'More actions for Ops', 'Rotate');
    await button(page, 'Make a new secret').click();
    await page.getByText('The old secret works until').waitFor();
    await button(page, 'I have saved it').click();
    await button(page, 'Edit').click();
    await page.getByLabel('succeeds', { exact: true }).check();
    await button(page, 'Save').click();
    await page.getByText('When a run succeeds, succeeds in part or fails').waitFor();
    const [made] = (await admin.get('/workflows/notices')).body;
    await server.services.db`
      update notices set enabled = false, off_reason = 'gone' where id = ${made.id}
    `;
    await page.reload();
    await page.getByText('Its receiver answered 410').waitFor();
    await look('notice that is off');
    await page.getByRole('switch').locator('..').click();
    await page.getByText('Its receiver answered 410').waitFor({ state: 'detached' });
    await choose(page, 'More actions for Ops', 'Delete');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No notices yet').waitFor();

    await button(page, 'New notice').click();
    await page.getByText('By mail to me').click();
    await page.getByText(`To ${admin.user.email}`).waitFor();
    await look('new notice by mail');
    await button(page, 'Create notice').click();
    await page.getByText(`mail to ${admin.user.email}`).waitFor();
    await page.getByRole('link', { name: 'Mail' }).click();
    await button(page, 'Send a test').click();
    await page.getByRole('row').filter({ hasText: 'Test' }).waitFor();
    await send(server);
    await page.getByText('Given up').waitFor();
  });
});
