/** Before a draft is published: its results against those of the published version. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { filesOf, look, stage as runStage } from '../../server/test/runs.ts';
import type { Order } from '../../server/test/worker.ts';
import { registerNode } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';

const password = 'correct horse battery';

/** What a step writes: a thumbnail of its width, but for a picture that is small already. */
function playOf({ node_key, params, inputs }: Order) {
  const [{ name }] = inputs;
  const width = name === 'icon.png' ? 64 : params.width;
  const text = node_key === 'caption' ? `A caption of ${name}` : `${name} at ${width} px`;
  return [{ port: 'out', name: `${node_key}-${name}.txt`, text }];
}

/** A published version of two steps, and a draft in which another change follows. */
async function stage(t: TestContext) {
  const people = await runStage();
  const { server, owner, worker } = people;
  await setPassword(server.services.db, owner.user.id, password, { must_change: false });
  const params = {
    type: 'object',
    properties: { width: { type: 'integer', title: 'Width', default: 800 } },
  };
  const outputs = [{ name: 'out', glob: '*', cardinality: 'one', media_type: 'text/plain' }];
  const thumb = await registerNode(owner, { title: 'Thumbnail', name: 'thumb', params, outputs });
  const caption = await registerNode(owner, { title: 'Caption', name: 'caption', outputs });
  const graphOf = (width: number, x = 0) => ({
    nodes: [
      { key: 'caption', node_definition_id: caption, title: 'Caption', map: true },
      {
        ...{ key: 'thumb', node_definition_id: thumb, title: 'Thumbnail', map: true },
        ...{ params: { width }, position: { x, y: 200 } },
      },
    ],
    edges: ['caption', 'thumb'].map((node) => ({
      from: { input: 'pictures' },
      to: { node, port: 'in' },
    })),
    inputs: [{ name: 'pictures' }],
    variables: [],
  });
  const { body } = await owner.post('/workflows', { name: 'Catalogue', graph: graphOf(800) });
  await owner.post(`/workflows/workflow-versions/${body.latest_version_id}/publish`);
  const draft = (await owner.post(`/workflows/${body.id}/versions`, { graph: graphOf(640) })).body;
  const edit = async (graph: object) => {
    const path = `/workflows/workflow-versions/${draft.id}`;
    const { headers } = await owner.get(path);
    const seen = { 'if-match': headers.get('etag') ?? '' };
    await owner.patch(path, { graph }, { headers: seen });
  };
  const files = await filesOf(owner, 'icon.png', 'hall.png', 'garden.png');
  const page = await openPage(t);
  const person = { email: owner.user.email, password };
  const path = `/workflows/${body.id}`;
  return {
    ...{ server, owner, worker, page, files, draft, edit, graphOf, path },
    open: (to = path) => signInto(page, server, person, to),
    runs: async () => (await owner.get('/workflows/workflow-runs')).body as Order[],
    work: () => worker.work((order) => worker.succeed(order, playOf(order))),
  };
}

const dialog = (page: Page) => page.getByRole('dialog', { name: /^Publish version/ });
const told = (page: Page) => dialog(page).getByRole('status');

async function chooseAll(page: Page) {
  await page.getByRole('button', { name: 'Choose samples…' }).click();
  await page.getByRole('button', { name: 'Choose files' }).click();
  for (const name of ['icon.png', 'hall.png', 'garden.png'])
    await page.getByLabel(`Choose ${name}`).click();
  await page.getByRole('button', { name: 'Choose 3 items' }).click();
}

/** Until the service works on the first or the second of the two runs. */
async function started(page: Page, which: 1 | 2) {
  const words = which === 1 ? 'Running version 1 …' : 'Running this draft …';
  await told(page).getByText(words).waitFor();
  await dialog(page)
    .getByText(/\d of 2 steps/)
    .waitFor();
}

describe('before a draft is published', { skip: withoutBrowser }, () => {
  it('its results are compared with those of the published version', async (t) => {
    const { page, open, work, runs, owner, draft } = await stage(t);
    await open();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog(page).getByText('Compare the results first').waitFor();
    await checkLooks(page, 'offer of a proof');
    await chooseAll(page);
    await page.getByRole('button', { name: 'Use these' }).click();

    await t.test('on the same samples, where what is the same runs once', async () => {
      await started(page, 1);
      const focused = page.locator(':focus');
      assert.equal(await focused.innerText(), 'Compare the results first');
      await checkLooks(page, 'a proof under way');
      assert.equal((await work()).length, 6);
      await started(page, 2);
      const orders = await work();
      assert.deepEqual(
        orders.map(({ node_key }) => node_key),
        ['thumb', 'thumb', 'thumb'],
      );
      await told(page).getByText('2 of 6 files differ.').waitFor();
      assert.deepEqual(
        (await runs()).map(({ keep_results, status }) => [keep_results, status]),
        Array(2).fill([false, 'success']),
      );
    });

    await t.test('and each file is shown beside the other', async () => {
      const rows = dialog(page).getByRole('list', { name: 'What differs' });
      await rows.getByRole('button', { name: /hall\.png/ }).press('Enter');
      await rows.getByText('hall.png at 800 px').waitFor();
      await rows.getByText('hall.png at 640 px').waitFor();
      assert.equal(await rows.getByText(/^[0-9a-f]{64}$/).count(), 2);
      assert.equal(await rows.getByRole('link', { name: /Open in a new tab/ }).count(), 2);
      await dialog(page).getByRole('button', { name: '4 files are the same' }).click();
      const same = dialog(page).getByRole('list', { name: 'What is the same' });
      assert.equal(await same.getByRole('listitem').count(), 4);
      await checkLooks(page, 'outcome of a proof');
    });

    await t.test('and comparing again runs only what differs', async () => {
      await dialog(page).getByRole('button', { name: 'Compare again' }).click();
      await started(page, 2);
      assert.equal((await work()).length, 3);
      await told(page).getByText('2 of 6 files differ.').waitFor();
    });

    await t.test('then it is published with the button that was there all along', async () => {
      await dialog(page).getByRole('button', { name: 'Publish', exact: true }).click();
      await dialog(page).waitFor({ state: 'detached' });
      const { body } = await owner.get(`/workflows/workflow-versions/${draft.id}`);
      assert.equal(body.state, 'published');
    });
  });

  it('steps that fail only in the draft are told first', async (t) => {
    const { page, open, worker, path, draft } = await stage(t);
    await open(`${path}/versions/${draft.id}?view=outline`);
    await page.getByRole('button', { name: 'Publish…' }).click();
    await chooseAll(page);
    await page.getByRole('button', { name: 'Use these' }).click();
    const play = (order: Order) =>
      order.params.width === 640 && order.inputs[0].name === 'hall.png'
        ? worker.fail(order)
        : worker.succeed(order, playOf(order));
    await started(page, 1);
    await worker.work(play);
    await started(page, 2);
    await worker.work(play);
    await told(page)
      .getByText('1 step fails that did not fail in version 1. 1 of 6 files differs.')
      .waitFor();
    const [first] = await dialog(page).getByRole('list', { name: 'What differs' }).allInnerTexts();
    assert.match(first ?? '', /^Thumbnail, hall\.png fails: exit code 1/);
    await checkLooks(page, 'a proof with a failure');
  });

  it('closing the dialog cancels what is under way', async (t) => {
    const { page, open, runs, owner } = await stage(t);
    await open();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await chooseAll(page);
    await page.getByRole('button', { name: 'Use these' }).click();
    await started(page, 1);
    const cancelled = page.waitForResponse((answer) => answer.url().endsWith('/cancel'));
    await page.keyboard.press('Escape');
    await cancelled;
    const [only, ...others] = await runs();
    assert.deepEqual(others, []);
    assert.equal((await look(owner, only.id)).status, 'cancelled');
  });

  it('samples that are gone are told, and others chosen', async (t) => {
    const { page, open, owner, files } = await stage(t);
    await open();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await chooseAll(page);
    // Deleted by somebody else at this moment.
    await owner.delete(`/cogs/${files[0]}`);
    await page.getByRole('button', { name: 'Use these' }).click();
    await dialog(page)
      .getByRole('alert')
      .getByText(/A sample was deleted/)
      .waitFor();
    await checkLooks(page, 'a proof without its sample');
    await dialog(page)
      .getByRole('button', { name: 'Compare again' })
      .waitFor({ state: 'detached' });
    await dialog(page).getByRole('button', { name: 'Other samples…' }).click();
    await page.getByRole('button', { name: 'Leave out Deleted, or not yours to see' }).click();
    await page.getByRole('button', { name: 'Use these' }).click();
    await started(page, 1);
  });

  it('a workflow that is gone is not taken for a sample that is', async (t) => {
    const { page, open, owner, path } = await stage(t);
    await open();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await chooseAll(page);
    await owner.delete(path);
    await page.getByRole('button', { name: 'Use these' }).click();
    const problem = dialog(page).getByRole('alert').filter({ hasText: 'could not be run' });
    await problem.waitFor();
    await dialog(page).getByRole('button', { name: 'Compare again' }).waitFor();
    assert.doesNotMatch(await problem.innerText(), /sample/);
  });

  it('a value that only the draft needs is asked for', async (t) => {
    const { page, open, edit, graphOf, work } = await stage(t);
    const variables = [{ variable_name: 'width', type: 'integer', required: true }];
    const [caption, thumb] = graphOf(800).nodes;
    const nodes = [caption, { ...thumb, params: { width: '{{vars.width}}' } }];
    await edit({ ...graphOf(800), nodes, variables });
    await open();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await chooseAll(page);
    await page.getByRole('button', { name: 'Use these' }).click();
    await page.getByText('A value is required.').waitFor();
    await checkLooks(page, 'samples of a proof');
    await page.getByRole('textbox', { name: 'width' }).fill('800');
    await page.getByRole('button', { name: 'Use these' }).click();
    await started(page, 1);
    await work();
    // Another way to the same width: all is taken over.
    await told(page).getByText('All 6 files are the same in both.').waitFor();
  });

  it('nothing is replaced that was not shown', async (t) => {
    const { page, open, owner, draft, path, graphOf } = await stage(t);
    await open();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog(page).getByText('Against version 1, which is published now:').waitFor();
    const { body } = await owner.post(`${path}/versions`, { graph: graphOf(320) });
    await owner.post(`/workflows/workflow-versions/${body.id}/publish`);
    // The page behind the dialog has heard of it.
    const row = page.locator('tr').filter({ hasText: 'Version 3' });
    await row.getByText('Published').waitFor();
    const publish = dialog(page).getByRole('button', { name: 'Publish', exact: true });
    await publish.click();
    await dialog(page).getByText('This version could not be published').waitFor();
    await dialog(page).getByText('Against version 3, which is published now:').waitFor();
    await dialog(page)
      .getByText(/^Triggers and new runs go on with version 3, which is newer\./)
      .waitFor();
    await publish.click();
    await dialog(page).waitFor({ state: 'detached' });
    const published = (await owner.get(`/workflows/workflow-versions/${draft.id}`)).body;
    assert.equal(published.state, 'published');
    assert.equal((await owner.get(path)).body.published_version_id, body.id);
  });

  it('a draft that only looks different needs no comparison', async (t) => {
    const { page, open, edit, graphOf } = await stage(t);
    await edit(graphOf(800, 500));
    await open();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog(page)
      .getByText(/the results cannot differ/)
      .waitFor();
    assert.equal(await dialog(page).getByText('Compare the results first').count(), 0);
  });
});
