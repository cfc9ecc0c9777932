/** The list of steps as an editor: from a new workflow to its results by keys alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type Order, scriptedWorker } from '../../server/test/worker.ts';
import { withoutBrowser } from './browser.ts';
import { focused, outlinePage, presses, step } from './outline-page.ts';

/** Tab until an element of this name has the focus. */
async function tabTo(page: Page, name: RegExp, key = 'Tab') {
  for (let step = 0; step < 120; step++) {
    const current = (await page.evaluate(nameOfFocus)) as string;
    if (name.test(current)) return;
    await page.keyboard.press(key);
  }
  assert.fail(`Tab leads to nothing called ${name}`);
}

const nameOfFocus = `(() => {
  const one = document.activeElement;
  return one.getAttribute('aria-label') || one.labels?.[0]?.textContent || one.textContent || '';
})()`;

/** Into `window.pointed`: how often the pointer was used. */
const countPointers = (page: Page) =>
  page.evaluate(`
    window.pointed = 0;
    addEventListener('pointerdown', () => { window.pointed += 1; }, { capture: true });
  `);

/** What each step gives, as its definition says. */
function resultsOf(key: string) {
  const file = (port: string, name: string) => ({ port, name, text: name });
  if (key === 'split_pdf') return [file('pages', 'page 1.png'), file('pages', 'page 2.png')];
  if (key === 'crop') return [file('image', 'page.png')];
  if (key === 'read_text') return [file('text', 'page.txt')];
  return [{ port: 'report', name: 'report.md', text: 'What the scan says' }];
}

const status = (page: Page, words: RegExp) =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor();

/** Presses what Tab leads to. */
async function press(page: Page, name: RegExp, direction = 'Tab') {
  await tabTo(page, name, direction);
  await page.keyboard.press('Enter');
}

/** In the box that lists the files. */
async function chooseFile(page: Page, name: string) {
  await press(page, /^Choose files/);
  await page.getByLabel(`Choose ${name}`).waitFor();
  await tabTo(page, new RegExp(`^Choose ${name}`));
  await page.keyboard.press('Space');
  await press(page, /^Choose 1 item/);
}

async function add(page: Page, search: string, key: string) {
  await page.getByRole('textbox', { name: 'Find a step to add' }).waitFor();
  await page.keyboard.type(search);
  await page.keyboard.press('Enter');
  await focused(page, key);
}

/** Presses a key that must move the focus before the next key can arrive. */
async function pressForField(page: Page, key: string) {
  const focus = await page.evaluate(`(async () => {
    const press = new KeyboardEvent('keydown', { key: '${key}', bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(press);
    // The next key comes after the microtasks of this one.
    for (let turns = 0; turns < 20; turns += 1) await undefined;
    return document.activeElement.getAttribute('aria-label');
  })()`);
  assert.equal(focus, 'Find a step to add');
}

describe('the list of steps', { skip: withoutBrowser }, () => {
  it('leads from a new workflow of four steps to its results by keys alone', async (t) => {
    const { page, admin, server } = await outlinePage(t, () => '/workflows');
    const worker = await scriptedWorker(server, admin.user.tenant_id);
    await admin.upload('scan.pdf', '%PDF-1.4', undefined, 'application/pdf');
    await admin.post('/secrets', { name: 'CROP_KEY', kind: 'generic', value: 'not shown' });
    await page.getByRole('button', { name: 'New workflow' }).first().waitFor();
    await countPointers(page);
    const conflicts: string[] = [];
    page.on('response', (answer) => answer.status() === 412 && conflicts.push(answer.url()));

    await t.test('makes a workflow, and opens it as a list', async () => {
      await press(page, /^New workflow$/);
      await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.type('Scans to report');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Scans to report' }).waitFor();
      await tabTo(page, /^Canvas$/);
      await page.keyboard.press('ArrowRight');
      await page.getByText('No steps yet').waitFor();
    });
    const path = new URL(page.url()).pathname.replace(/.*versions/, '/workflows/workflow-versions');

    await t.test('adds each behind the one before, connected', async () => {
      await press(page, /^Add a step$/);
      await add(page, 'split', 'split_pdf');
      await page.keyboard.press('a');
      const find = page.getByRole('textbox', { name: 'Find a step to add' });
      assert.equal(await find.inputValue(), '', 'The key that opens it is not typed.');
      await add(page, 'crop', 'crop');
      for (const [search, key] of [
        ['read', 'read_text'],
        ['report', 'report'],
      ] as const) {
        await pressForField(page, 'a');
        await add(page, search, key);
      }
      await step(page, 'read_text').getByText('takes image from Crop').waitFor();
      await step(page, 'crop').getByText('once for each file of pages of Split PDF').waitFor();
    });

    await t.test('leads by F8 to what is missing, and takes it from a list', async () => {
      // Not that of the empty graph, which has no steps.
      await step(page, 'split_pdf').getByText('1 fault').waitFor();
      await page.keyboard.press('F8');
      await page.locator('[data-pointer="/ports/pdf"] button:focus').waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await press(page, /^files/);
      await step(page, 'split_pdf').getByText('takes PDF from files').waitFor();
      await status(page, /No faults/);
    });

    await t.test('sets a value, and makes it a variable', async () => {
      await page.keyboard.press('Escape');
      await tabTo(page, /^Split PDF/, 'Shift+Tab');
      await page.keyboard.press('ArrowDown');
      await focused(page, 'crop');
      await page.keyboard.press('Enter');
      await page.getByLabel('Title').and(page.locator(':focus')).waitFor();
      await tabTo(page, /^Width/);
      await page.keyboard.type('640');
      await press(page, /^Variables and default of Width/, 'Shift+Tab');
      const item = page.getByRole('menuitem', { name: 'Make it a variable of the workflow' });
      await item.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('whole number, 640 by default').first().waitFor();
    });

    await t.test('writes a text with a variable, which is one step of undo', async () => {
      await tabTo(page, /^Label/);
      await page.keyboard.type('forty characters are typed, then {{wid');
      await page.getByRole('option', { name: /width/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('forty characters are typed, then 640').waitFor();
      await page.keyboard.press('Escape');
      await focused(page, 'crop');
      await page.keyboard.press('Control+z');
      const label = page.getByRole('combobox', { name: 'Label' });
      assert.equal(await label.inputValue(), '');
      await page.keyboard.press('Control+Shift+z');
      assert.match(await label.inputValue(), /then \{\{vars.width\}\}$/);
    });

    await t.test('duplicates, moves and deletes a step', async () => {
      await page.keyboard.press('d');
      await focused(page, 'crop_2');
      await presses(page, 'Alt+ArrowDown', 'Delete');
      await step(page, 'crop_2').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+z');
      await step(page, 'crop_2').waitFor();
      await page.keyboard.press('Control+y');
      await step(page, 'crop_2').waitFor({ state: 'detached' });
    });

    await t.test('gives a step the name of a secret, and saves all of it', async () => {
      await presses(page, 'Home', 'ArrowDown');
      await focused(page, 'crop');
      await page.keyboard.press('Enter');
      await tabTo(page, /^Access key/);
      await page.keyboard.type('CROP');
      await page.getByRole('option', { name: 'CROP_KEY' }).waitFor();
      await presses(page, 'ArrowDown', 'Enter');
      await page
        .getByText(/^Saved/)
        .first()
        .waitFor();
      assert.deepEqual(conflicts, [], 'A new workflow is in conflict with nobody.');
      const { nodes, edges, inputs, variables } = (await admin.get(path)).body.graph;
      assert.deepEqual(
        nodes.map(({ key, map }: { key: string; map?: boolean }) => `${key} ${map ?? false}`),
        ['split_pdf false', 'crop true', 'read_text true', 'report false'],
      );
      assert.deepEqual(nodes[1].params, {
        width: '{{vars.width}}',
        label: 'forty characters are typed, then {{vars.width}}',
        token: { $secret: 'CROP_KEY' },
      });
      assert.equal(edges.length, 4);
      assert.deepEqual(inputs, [{ name: 'files' }]);
      assert.deepEqual([variables[0].variable_name, variables[0].default], ['width', 640]);
    });
    const work = () => worker.work((order) => worker.succeed(order, resultsOf(order.node_key)));
    const widths = (orders: Order[]) => orders.map(({ params }) => params.width);

    await t.test('tests a step on a file, and leads to the result and back', async () => {
      const results = page.getByRole('region', { name: 'Results of Crop' });
      await page.keyboard.press('Escape');
      await focused(page, 'crop');
      await presses(page, 'r', 't');
      await page.getByRole('dialog', { name: 'What to test with' }).waitFor();
      await chooseFile(page, 'scan.pdf');
      await press(page, /^Use these/);
      await status(page, /Testing up to Crop/);
      await focused(page, 'crop');
      assert.deepEqual(widths(await work()), [undefined, 640, 640]);
      await status(page, /Tested up to Crop/);

      await page.keyboard.press('r');
      await page.locator('[data-results-title]:focus').waitFor();
      await results.getByText('page.png').first().waitFor();
      await press(page, /^Show the log/);
      await results.getByText('This step wrote nothing.').waitFor();
      await page.keyboard.press('Escape');
      await results.waitFor({ state: 'detached' });
      await focused(page, 'crop');
      await press(page, /^Up to date/);
      await page.locator('[data-results-title]:focus').waitFor();
    });

    await t.test('tests it again with a value that the sample has not', async () => {
      // Somebody else has it take one.
      const { body, headers } = await admin.get(path);
      const variables = [{ variable_name: 'width', type: 'integer', required: true }];
      const graph = { ...body.graph, variables };
      const ifMatch = { 'if-match': headers.get('etag') ?? '' };
      assert.equal((await admin.patch(path, { graph }, { headers: ifMatch })).status, 200);
      const results = page.getByRole('region', { name: 'Results of Crop' });
      await results.getByText('Out of date').waitFor();
      await press(page, /^Test again/);
      const sample = page.getByRole('dialog', { name: 'What to test with' });
      await sample.getByRole('textbox', { name: 'width' }).waitFor();
      await tabTo(page, /^width/);
      await page.keyboard.type('320');
      await press(page, /^Use these/);
      await status(page, /Testing up to Crop/);
      assert.deepEqual(widths(await work()), [320, 320], 'Split PDF is taken over.');
      await status(page, /Tested up to Crop/);
    });

    await t.test('publishes it, runs it on a file, and reads what came out', async () => {
      await press(page, /^Publish…/, 'Shift+Tab');
      await page.getByText('It is the first one to be published: 4 steps.').waitFor();
      await press(page, /^Publish$/);
      await page.getByText('Version 1 is published.').waitFor();
      await press(page, /^Back to the workflow/, 'Shift+Tab');
      await page.getByRole('link', { name: /^Run/ }).last().waitFor();
      await press(page, /^Run…/);
      await chooseFile(page, 'scan.pdf');
      await tabTo(page, /^width/);
      await page.keyboard.type('500');
      await press(page, /^Start run/);
      await page.waitForURL(/\/runs\/\d+/);
      assert.ok(widths(await work()).includes(500));
      await page.getByText('Success').first().waitFor();
      await press(page, /^Report/);
      await page.getByRole('dialog', { name: 'Report' }).getByText('report.md').waitFor();
      await press(page, /^report\.md/);
      await page.getByText('What the scan says').waitFor();
    });

    assert.equal(await page.evaluate('window.pointed'), 0, 'the pointer was used');
  });
});
