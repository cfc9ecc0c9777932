/** Triggers in the browser: whole stories, from the dialog to the run that follows. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { placeArrivals } from '../../server/src/resources/triggers/folders/arriving.ts';
import { fireFolders } from '../../server/src/resources/triggers/folders/firing.ts';
import { openGraphThreads } from '../../server/src/resources/workflows/graph-bodies.ts';
import type { Client } from '../../server/test/cast.ts';
import { deliver, send, signed } from '../../server/test/hooks.ts';
import { stage } from '../../server/test/runs.ts';
import type { TestServer } from '../../server/test/server.ts';
import { mappedGraph, registerNode } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';

const threads = openGraphThreads();
after(() => threads.close());

const variables = [
  { variable_name: 'width', type: 'integer', default: 280, description: 'In pixels.' },
  { variable_name: 'customer', type: 'string', required: false },
];

/** A published workflow over files with two variables, and its owner in the browser. */
async function atTriggers(t: TestContext, path = '/triggers') {
  const people = await stage();
  const { server, admin } = people;
  const password = 'correct horse battery';
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  const graph = { ...mappedGraph(await registerNode(admin)), variables };
  const { body: workflow } = await admin.post('/workflows', { name: 'Letters to text', graph });
  await admin.post(`/workflows/workflow-versions/${workflow.latest_version_id}/publish`);
  const folder = await newFolder(admin, 'Inbox');
  await admin.upload('letter.txt', 'a letter', folder);
  const page = await openPage(t, { reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' });
  await signInto(page, server, { email: admin.user.email, password }, path);
  const go = (to: string) => page.goto(`${server.url}/app${to}`);
  return { ...people, page, workflow: workflow.id as number, folder, go };
}

const newFolder = async (client: Client, name: string): Promise<number> =>
  (await client.post('/cogs', { name, cog_type: 'asset_folder' })).body.id;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

async function newTrigger(page: Page, type: string) {
  await button(page, 'New trigger').click();
  await page.getByRole('menuitem', { name: type }).click();
  await page.getByRole('dialog').waitFor();
}

async function choose(page: Page, field: string, option: string) {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function chooseFile(page: Page, folder: string, file: string) {
  await button(page, /^Files/).click();
  await button(page, 'Choose files').click();
  const picker = page.getByRole('dialog', { name: 'Choose files' });
  await picker.getByRole('button', { name: folder }).click();
  await picker.getByLabel(`Choose ${file}`).check();
  await picker.getByRole('button', { name: /^Choose 1 item/ }).click();
}

/** As an engine does each second. */
async function duty({ services }: TestServer) {
  for (let placed = 1; placed > 0; ) placed = await placeArrivals(services.db, 100);
  await fireFolders({ ...services, threads });
}

describe('triggers in the browser', { skip: withoutBrowser }, () => {
  it('make a schedule by plain choices, show its next times, turn it off and delete it', async (t) => {
    const { page, admin } = await atTriggers(t);
    await page.getByText('No triggers yet').waitFor();
    await checkLooks(page, 'no triggers');
    await page.setViewportSize({ width: 1280, height: 800 });

    await newTrigger(page, 'Schedule');
    await page.getByLabel('Name').fill('Scans of the day');
    await choose(page, 'Runs', 'Every week');
    await page.getByText('Fri', { exact: true }).click();
    await page.getByLabel('At', { exact: true }).fill('18:30');
    assert.equal(
      await page.getByRole('combobox', { name: 'Time zone' }).inputValue(),
      'Europe/Berlin',
    );
    await page
      .getByText(/^Mon, .*, 18:30$/)
      .first()
      .waitFor();
    await page
      .getByText(/^Fri, .*, 18:30$/)
      .first()
      .waitFor();
    await choose(page, 'Workflow', 'Letters to text');
    await page.getByText('Choose at least one file.').waitFor();
    await chooseFile(page, 'Inbox', 'letter.txt');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('combobox', { name: 'If its last run has not ended' }).waitFor();
    await checkLooks(page, 'new schedule');
    await page.setViewportSize({ width: 1280, height: 800 });
    await button(page, 'Create trigger').click();

    const row = page.getByRole('row').filter({ hasText: 'Scans of the day' });
    await row.getByText('Ready').waitFor();
    await row.getByText('Mon, Fri at 18:30, Europe/Berlin · starts Letters to text').waitFor();
    const [made] = (await admin.get('/workflows/triggers')).body;
    assert.deepEqual([made.cron, made.timezone], ['30 18 * * MON,FRI', 'Europe/Berlin']);
    assert.deepEqual([made.cog_ids.length, made.extra_variables], [1, {}]);
    await checkLooks(page, 'triggers');
    await page.setViewportSize({ width: 1280, height: 800 });

    await row.getByRole('link', { name: 'Scans of the day' }).click();
    const times = page.getByRole('list', { name: 'Next times' }).getByRole('listitem');
    await times.nth(4).waitFor();
    assert.equal(await times.count(), 5);
    await button(page, 'Run now').click();
    await page.getByText(/Run #\d+ has started/).waitFor();
    await page.getByRole('row').filter({ hasText: 'By hand' }).getByText('Started').waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
    await checkLooks(page, 'schedule');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('switch').locator('..').click();
    await page.getByText('It is off.').waitFor();

    await button(page, /^More actions/).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No triggers yet').waitFor();
    assert.deepEqual((await admin.get('/workflows/triggers')).body, []);
  });

  it('say what is wrong with an expression, mark where clocks change, and keep what is edited', async (t) => {
    const { page, admin, workflow, folder, go } = await atTriggers(t);
    const { body: made } = await admin.post('/workflows/triggers', {
      ...{ name: 'Yearly', type: 'schedule', workflow_id: workflow, cog_ids: [folder] },
      ...{ cron: '0 7 1 1,7 *', timezone: 'Europe/Berlin', extra_variables: { width: 100 } },
    });
    await go(`/triggers/${made.id}`);
    await page.getByText('Clocks go forward 1 h before').first().waitFor();
    await page.getByText('Clocks go back 1 h before').first().waitFor();

    await button(page, 'Edit').click();
    await page.getByLabel('Cron expression').fill('99 7 * * *');
    await page
      .getByLabel('Preview')
      .getByText(/The expression .*minute/i)
      .waitFor();
    await button(page, /^Variables/).click();
    assert.equal(await page.getByLabel('width').inputValue(), '100');
    await checkLooks(page, 'wrong expression');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('width').fill('120');
    await choose(page, 'Runs', 'Every hour');
    await choose(page, 'Minute', ':15');
    await button(page, 'Save').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('Every hour at :15').waitFor();
    const { body: after } = await admin.get(`/workflows/triggers/${made.id}`);
    assert.deepEqual([after.cron, after.extra_variables], ['15 * * * *', { width: 120 }]);
    assert.deepEqual([after.cog_ids, after.timezone], [[folder], 'Europe/Berlin']);
  });

  it('make a webhook that takes a signed message, and show its delivery, its run and its secret once', async (t) => {
    const { page, admin, folder } = await atTriggers(t);
    await newTrigger(page, 'Webhook');
    await page.getByLabel('Name').fill('Orders');
    await choose(page, 'Workflow', 'Letters to text');
    await chooseFile(page, 'Inbox', 'letter.txt');
    await button(page, /^From the message/).click();
    await page.getByLabel('Example message').fill('{"order": {"customer": "Acme"}, "n": "x"}');
    await page.getByRole('textbox', { name: 'customer', exact: true }).fill('/order/customer');
    await page.getByLabel('customer in the example').getByText('"Acme"').waitFor();
    await page.getByRole('textbox', { name: 'width', exact: true }).fill('/nowhere');
    await page.getByText('Not in the example').waitFor();
    await page.getByRole('textbox', { name: 'width', exact: true }).fill('nowhere');
    await page.getByText('A pointer begins with /.').waitFor();
    await page.getByRole('textbox', { name: 'width', exact: true }).fill('');
    await checkLooks(page, 'new webhook');
    await page.setViewportSize({ width: 1280, height: 800 });
    await button(page, 'Create trigger').click();

    const url = await page.getByLabel('URL', { exact: true }).inputValue();
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    await checkLooks(page, 'secret of a webhook');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await page.getByText('If you leave without the secret').waitFor();
    await button(page, 'I have saved it').click();
    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByText('customer from /order/customer').waitFor();
    assert.ok(!(await page.content()).includes(secret));

    const hook = { id: 0, url, secret, file: 0, folder };
    const message = { order: { customer: 'Acme' } };
    const { status, body } = await send(hook, message);
    assert.equal(status, 202);
    const run = await admin.get(`/workflows/workflow-runs/${body.workflow_run_id}`);
    assert.equal(run.body.extra_variables.customer, 'Acme');
    await page.getByRole('row').filter({ hasText: 'By a message' }).getByText('Started').waitFor();
    const text = JSON.stringify(message);
    await deliver(hook, text, signed({ secret: `whsec_${btoa('x'.repeat(32))}` }, text));

    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByRole('row').filter({ hasText: 'Wrong signature' }).waitFor();
    const accepted = page.getByRole('row').filter({ hasText: 'Accepted' });
    await accepted.getByRole('link', { name: `Run #${body.workflow_run_id}` }).waitFor();
    await accepted.getByRole('button').click();
    await page.getByRole('region', { name: 'Body' }).getByText('"customer": "Acme"').waitFor();
    await checkLooks(page, 'delivery');
    await page.setViewportSize({ width: 1280, height: 800 });
    await button(page, 'Deliver again').click();
    await page
      .getByRole('status')
      .getByRole('link', { name: /^Run #/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await page
      .getByText(/again$/)
      .first()
      .waitFor();
    await checkLooks(page, 'webhook');
    await page.setViewportSize({ width: 1280, height: 800 });

    await button(page, /^More actions/).click();
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
    await choose(page, 'The old secret still works', 'It ends now');
    await checkLooks(page, 'rotate a secret');
    await page.setViewportSize({ width: 1280, height: 800 });
    await button(page, 'Make a new secret').click();
    const rotated = await page.getByLabel('Secret', { exact: true }).inputValue();
    assert.equal((await send(hook, {})).status, 401);
    assert.equal((await send({ ...hook, secret: rotated }, {})).status, 202);
  });

  it('give examples for senders that work as they are', async (t) => {
    const { page } = await atTriggers(t);
    await newTrigger(page, 'Webhook');
    await page.getByLabel('Name').fill('Orders');
    await choose(page, 'Workflow', 'Letters to text');
    await chooseFile(page, 'Inbox', 'letter.txt');
    await button(page, 'Create trigger').click();
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    const example = page.getByRole('region', { name: 'How to send a message' });
    const script = ((await example.textContent()) ?? '').replace('whsec_…', secret);
    await page.getByText('Node', { exact: true }).click();
    const program = (await example.textContent()) ?? '';

    const run = promisify(execFile);
    const env = { ...process.env, WEBHOOK_SECRET: secret };
    const options = ['--input-type=module', '--eval', program];
    assert.match((await run(process.execPath, options, { env })).stdout, /^202 /);
    assert.match((await run('sh', ['-c', script])).stdout, /workflow_run_id/);
  });

  it('switch on a folder in two clicks, whose next upload starts a run', async (t) => {
    const { page, admin, server, folder } = await atTriggers(t, '/');
    await page.getByRole('link', { name: 'Inbox' }).click();
    await button(page, 'Run a workflow on new files in Inbox').click();
    await choose(page, 'Run', 'Letters to text');
    await button(page, 'Turn on').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('switch').waitFor();
    await checkLooks(page, 'runs on new files');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await button(page, 'Workflows run on new files in Inbox').waitFor();

    const [made] = (await admin.get(`/workflows/triggers?folder_id=${folder}`)).body;
    await admin.patch(`/workflows/triggers/${made.id}`, { debounce_seconds: 0 });
    const buffer = Buffer.from('another letter');
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([{ name: 'new.txt', mimeType: 'text/plain', buffer }]);
    await page.getByText('1 file uploaded').waitFor();
    await duty(server);
    await button(page, 'Workflows run on new files in Inbox').click();
    await dialog.getByText('Queued').waitFor();
    await dialog.getByRole('link').click();
    const row = page.getByRole('row').filter({ hasText: 'By new files' });
    await row.getByRole('link', { name: /^Run #/ }).click();
    await page.getByRole('row').filter({ hasText: 'new.txt' }).waitFor();
  });

  it('make a trigger of new files with all its settings, from the page of its workflow', async (t) => {
    const { page, admin, workflow, folder } = await atTriggers(t, '/workflows');
    await page.getByRole('link', { name: /Letters to text/ }).click();
    await page.getByText('Nothing starts this workflow by itself.').waitFor();
    await newTrigger(page, 'New files');
    await page.getByLabel('Name').fill('Pictures');
    await button(page, 'Choose a folder').click();
    await page.getByRole('treeitem', { name: 'Inbox' }).click();
    await page.getByRole('dialog', { name: 'Choose a folder' }).waitFor();
    await checkLooks(page, 'choose a folder');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Choose', exact: true }).click();
    await page.getByLabel('Also in the folders below').uncheck();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('combobox', { name: 'Media types' }).fill('image/*');
    await page.keyboard.press('Enter');
    await page.getByLabel('Waiting time').fill('30');
    await checkLooks(page, 'new trigger of files');
    await page.setViewportSize({ width: 1280, height: 800 });
    await button(page, 'Create trigger').click();
    await page.getByRole('row').filter({ hasText: 'Pictures' }).getByText('Ready').waitFor();
    const [made] = (await admin.get(`/workflows/triggers?workflow_id=${workflow}`)).body;
    assert.deepEqual(
      [made.folder_id, made.recursive, made.media_types, made.debounce_seconds],
      [folder, false, ['image/*'], 30],
    );
  });

  it('are taken over by an admin, and left alone by those who may not change them', async (t) => {
    const { page, editor: maker, viewer: other, admin, server, workflow, go } = await atTriggers(t);
    const file = (await maker.upload('own.txt', 'x')).body.id;
    const { status, body: made } = await maker.post('/workflows/triggers', {
      ...{ name: 'Of somebody', type: 'schedule', workflow_id: workflow, cog_ids: [file] },
      cron: '0 7 * * *',
    });
    assert.equal(status, 201, JSON.stringify(made));
    await go(`/triggers/${made.id}`);
    await button(page, /^More actions/).click();
    await page.getByRole('menuitem', { name: 'Take over' }).click();
    await checkLooks(page, 'take over');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Take over', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const { body: after } = await admin.get(`/workflows/triggers/${made.id}`);
    assert.equal(after.run_as_user_id, admin.user.id);

    // Whoever made it sees it, and can only turn it off, delete it and take it back.
    const password = 'correct horse battery';
    await setPassword(server.services.db, maker.user.id, password, { must_change: false });
    const own = await openPage(t);
    await signInto(own, server, { email: maker.user.email, password }, `/triggers/${made.id}`);
    await button(own, /^More actions/).click();
    await own.getByRole('menuitem', { name: 'Take over' }).waitFor();
    assert.equal(await own.getByRole('button', { name: 'Run now' }).count(), 0);
    await own.keyboard.press('Escape');
    await own.getByRole('switch').locator('..').click();
    await own.getByText('It is off.').waitFor();
    assert.ok(await own.getByRole('switch').isDisabled());

    await setPassword(server.services.db, other.user.id, password, { must_change: false });
    const theirs = await openPage(t);
    await signInto(theirs, server, { email: other.user.email, password }, `/triggers/${made.id}`);
    await theirs.getByText('It has not fired yet').waitFor();
    assert.equal(await theirs.getByRole('button', { name: 'Edit' }).count(), 0);
  });
});
