/** What is offered after one file of a run has failed: a new run without it, or with its new version. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { addPlatformDefinition } from '../../server/src/resources/node_definitions/node_definitions.ts';
import type { Client } from '../../server/test/cast.ts';
import { filesOf, look, run, stage, versionOf } from '../../server/test/runs.ts';
import type { ScriptedWorker } from '../../server/test/worker.ts';
import { image, registerNode } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';

/** Three files in one step, of which the second has failed, and the drawer of its cell. */
async function failedRun(t: TestContext) {
  const { owner, editor, server, worker } = await stage();
  const password = 'correct horse battery';
  await setPassword(server.services.db, owner.user.id, password, { must_change: false });
  const definition = await registerNode(owner, { outputs: [] });
  const version = await versionOf(owner, graphOf(definition));
  const cogs = await filesOf(owner, 'a.txt', 'b.txt', 'c.txt');
  const { workflow_run_id: id } = (
    await run(owner, version, { cog_ids: cogs, extra_variables: { width: 1 } })
  ).body;
  await workOn(worker, 1);
  const page = await openPage(t, { reducedMotion: 'reduce' });
  const email = owner.user.email;
  await signInto(page, server, { email, password }, `/runs/${id}?cell=read:1`);
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Its program reported a failure (exit code 1).').waitFor();
  return { owner, editor, server, worker, page, drawer, id, cogs, version };
}

const graphOf = (definition: number) => ({
  nodes: [{ key: 'read', title: 'Read the page', node_definition_id: definition, map: true }],
  edges: [{ from: { input: 'files' }, to: { node: 'read', port: 'in' } }],
  inputs: [{ name: 'files' }],
  variables: [{ variable_name: 'width', type: 'integer' }],
});

const workOn = (worker: ScriptedWorker, bad?: number) =>
  worker.work((order) =>
    order.shard_index === bad
      ? worker.fail(order)
      : worker.complete(order, { status: 'success', exit_code: 0 }),
  );

/** @returns the run whose page is shown once it is another one. */
async function nextRun(page: Page, before: number): Promise<number> {
  await page.waitForURL(
    (url) => /\/runs\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${before}`),
  );
  return Number(new URL(page.url()).pathname.split('/').at(-1));
}

describe('after a file of a run has failed', { skip: withoutBrowser }, () => {
  it('a new run goes on without it, and takes over the others', async (t) => {
    const { owner, worker, page, drawer, id, cogs } = await failedRun(t);
    await drawer.getByRole('button', { name: 'Go on without this file' }).click();
    const start = page.getByRole('button', { name: 'Start without it' });
    await start.waitFor();
    await checkLooks(page, 'go on without a file');
    await start.click();
    const next = await nextRun(page, id);
    assert.deepEqual(await workOn(worker), []);
    const after = await look(owner, next);
    assert.equal(after.status, 'success');
    assert.equal(after.reuse_from_run_id, id);
    const inputs = after.run_files.map(({ cog_id }: { cog_id: number }) => cog_id);
    assert.deepEqual(inputs.toSorted(), [cogs[0], cogs[2]].toSorted());
  });

  it('a new run takes its new version, does what changed, and says which other file did', async (t) => {
    const { owner, worker, page, drawer, id, cogs } = await failedRun(t);
    await drawer.getByRole('button', { name: 'Replace the file' }).waitFor();
    const form = new FormData();
    form.append('file', new Blob(['other bytes']), 'b.txt');
    const replaced = await owner.fetch(`/cogs/${cogs[1]}/content`, { method: 'POST', body: form });
    assert.ok(replaced.ok);
    // It did not fail, and the next run reads it anew all the same.
    const another = new FormData();
    another.append('file', new Blob(['changed too']), 'c.txt');
    const changed = await owner.fetch(`/cogs/${cogs[2]}/content`, {
      method: 'POST',
      body: another,
    });
    assert.ok(changed.ok);
    await page.reload();
    await drawer.getByText(/^The file has changed since this run began/).waitFor();
    await checkLooks(page, 'a failed file that was replaced');
    await drawer.getByRole('button', { name: 'Run with the new version of the file' }).click();
    await page.getByText('Changed since that run too, and done anew: c.txt').waitFor();
    await page.getByRole('button', { name: 'Start with it' }).click();
    const next = await nextRun(page, id);
    const orders = await workOn(worker);
    assert.deepEqual(orders.map(({ shard_index }) => shard_index).toSorted(), [1, 2]);
    assert.equal((await look(owner, next)).status, 'success');
  });

  it('a later run tells what differs, and a limit that it reached is raised', async (t) => {
    const { owner, editor, server, worker, page, drawer, id, cogs, version } = await failedRun(t);
    const openNext = async (width: number, work: () => Promise<unknown>, of = version) => {
      const started = await run(owner, of, { cog_ids: cogs, extra_variables: { width } });
      await work();
      const path = `/app/runs/${started.body.workflow_run_id}?cell=read:0`;
      await page.goto(new URL(path, page.url()).href);
    };

    await t.test('from a run in which only another file failed', async () => {
      await openNext(2, () => workOn(worker, 0));
      await drawer.getByRole('link', { name: `Run #${id}` }).waitFor();
      await drawer.getByText('width is 2; it was 1.').waitFor();
    });

    await t.test('in one dialog, which goes on where it was held up', async () => {
      await owner.post(`/workflows/workflow-versions/${version}/publish`);
      await openNext(3, () =>
        worker.work((order) => worker.fail(order, { exit_code: 137, error_class: 'oom' })),
      );
      const before = Number(new URL(page.url()).pathname.split('/').at(-1));
      await drawer.getByRole('button', { name: 'Give it more memory' }).click();
      const dialog = page.getByRole('dialog', { name: 'Give it more memory' });
      await dialog.getByText('It ran out of memory: at first it may use 64 MB.').waitFor();
      const memory = dialog.getByRole('textbox', { name: 'Memory in MB' });
      assert.equal(await memory.inputValue(), '128');
      await memory.and(page.locator(':focus')).waitFor();
      await memory.fill('64');
      await dialog.getByText('More than 64, which it has now.').waitFor();
      await memory.fill('2048');
      await checkLooks(page, 'raise a limit');
      const refuseOnce = (path: string, detail: string) =>
        page.route(path, (route) => route.fulfill({ status: 409, json: { detail } }), { times: 1 });
      await refuseOnce('**/publish', 'Not at this moment.');
      await dialog.getByRole('button', { name: 'Raise it and run' }).click();
      await dialog.getByText('Not at this moment.').waitFor();
      await dialog.getByText('Version 2 of the step is registered.').waitFor();
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();

      await drawer.getByRole('button', { name: 'Give it more memory' }).click();
      await dialog.getByText('Version 2 of the workflow uses it.').waitFor();
      await dialog.getByText('Publish it, so that triggers and new runs use it too.').waitFor();
      assert.equal(await memory.inputValue(), '2048');
      await refuseOnce('**/run', 'Nor at this one.');
      await dialog.getByRole('button', { name: 'Raise it and run' }).click();
      await dialog.getByText('Nor at this one.').waitFor();
      await dialog.getByText('It is published: triggers and new runs use it.').waitFor();
      await checkLooks(page, 'raise a limit, held up');
      await dialog.getByRole('button', { name: 'Go on' }).click();

      const next = await nextRun(page, before);
      const orders = await workOn(worker);
      assert.deepEqual(
        orders.map(({ resources }) => resources.memory_mb),
        [2048, 2048, 2048],
      );
      const { status, workflow_id, workflow_version_id, reuse_from_run_id } = await look(
        owner,
        next,
      );
      assert.deepEqual(
        { status, reuse_from_run_id },
        { status: 'success', reuse_from_run_id: before },
      );
      const versions = (await owner.get(`/workflows/${workflow_id}/versions`)).body;
      assert.equal(versions.length, 2);
      const { published_version_id } = (await owner.get(`/workflows/${workflow_id}`)).body;
      assert.equal(published_version_id, workflow_version_id);
      const definitions = (await owner.get('/node_definitions?limit=1000')).body;
      const own = definitions.filter(({ scope }: { scope: string }) => scope === 'tenant');
      assert.deepEqual(own.map((one: { version: string }) => one.version).toSorted(), ['1', '2']);
    });

    await t.test('and replaces nothing that was published since', async () => {
      await openNext(4, () =>
        worker.work((order) => worker.fail(order, { exit_code: 137, error_class: 'timeout' })),
      );
      const before = Number(new URL(page.url()).pathname.split('/').at(-1));
      await drawer.getByRole('button', { name: 'Give it more time' }).click();
      const dialog = page.getByRole('dialog', { name: 'Give it more time' });
      await dialog
        .getByText(/^The new version stays a draft, .* version 2 is newer, and published/)
        .waitFor();
      const time = dialog.getByRole('textbox', { name: 'Time in seconds' });
      assert.equal(await time.inputValue(), '7200');
      await checkLooks(page, 'raise a limit of an older version');
      await dialog.getByRole('button', { name: 'Raise it and run' }).click();

      const next = await nextRun(page, before);
      await workOn(worker);
      const { status, test_run, workflow_id, workflow_version_id } = await look(owner, next);
      assert.deepEqual({ status, test_run }, { status: 'success', test_run: true });
      const { published_version_id } = (await owner.get(`/workflows/${workflow_id}`)).body;
      assert.ok(published_version_id > version && published_version_id < workflow_version_id);
    });

    await t.test('by whoever may change the workflow, of a built-in step as well', async () => {
      const { db } = server.services;
      const name = `built-in-${randomUUID()}`;
      const builtIn = await addPlatformDefinition(db, {
        ...{ name, version: '1', title: 'Built in', image, command: ['true'] },
        ...{ inputs: [{ name: 'in', cardinality: 'one' }], outputs: [] },
        resources: { cpu: 0.5, memory_mb: 64, gpu: 0, disk_mb: 64 },
      });
      const draft = await versionOf(owner, graphOf(builtIn));
      const fail = () =>
        worker.work((order) => worker.fail(order, { exit_code: 137, error_class: 'disk_limit' }));
      await openNext(5, fail, draft);
      const before = Number(new URL(page.url()).pathname.split('/').at(-1));
      const { workflow_id } = await look(owner, before);
      const setMaker = ({ user }: Client) =>
        db`update workflows set created_by = ${user.id} where id = ${workflow_id}`;

      await setMaker(editor);
      const more = drawer.getByRole('button', { name: 'Give it more disk space' });
      await more.click();
      const dialog = page.getByRole('dialog', { name: 'Give it more disk space' });
      await dialog
        .getByText(/^That takes a new version of the workflow\. .* can make one/)
        .waitFor();
      assert.equal(await dialog.getByRole('textbox').count(), 0);
      await checkLooks(page, 'raise a limit without the right');
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();

      await setMaker(owner);
      await more.click();
      await dialog
        .getByText('Register a version of this built-in step that is your organization’s own.')
        .waitFor();
      await dialog.getByText(/^The new version stays a draft, as the one that has run/).waitFor();
      await dialog.getByRole('button', { name: 'Raise it and run' }).click();
      const next = await nextRun(page, before);
      const orders = await workOn(worker);
      assert.deepEqual([...new Set(orders.map(({ resources }) => resources.disk_mb))], [128]);
      assert.equal((await look(owner, next)).status, 'success');
      const named = (await owner.get(`/node_definitions?q=${name}`)).body;
      assert.deepEqual(
        named.map((one: { scope: string; version: string }) => [one.scope, one.version]).toSorted(),
        [
          ['platform', '1'],
          ['tenant', '1'],
        ],
      );
    });
  });
});
