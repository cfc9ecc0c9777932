/** The list of steps as an editor: a workflow is built by keys alone, and its faults lead to fields. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { scriptedWorker } from '../../server/test/worker.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { builderDefinitions, draftOf, faultyGraph } from './builder-world.ts';
import { checkLooks } from './looks.ts';

const password = 'correct horse battery';
const none = { nodes: [], edges: [], inputs: [], variables: [] };

async function opened(t: TestContext, graph?: (world: Definitions) => object) {
  const { server, admin } = await cast();
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  const world = await builderDefinitions(admin);
  const path = await draftOf(admin, 'Scans to report', graph?.(world) ?? none);
  const page = await openPage(t, {
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  });
  await signInto(page, server, { email: admin.user.email, password }, `${path}?view=outline`);
  await page.getByRole('heading', { name: 'Scans to report' }).waitFor();
  return { page, admin, world, path, server };
}

type Definitions = Awaited<ReturnType<typeof builderDefinitions>>;

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
  return key === 'read_text' ? [file('text', 'page.txt')] : [file('report', 'report.md')];
}

const step = (page: Page, key: string) => page.locator(`[data-step="${key}"]`);
const focused = (page: Page, key: string) => page.locator(`[data-step="${key}"]:focus`).waitFor();
const status = (page: Page, words: RegExp) =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor();

async function add(page: Page, search: string, key: string) {
  await page.getByRole('textbox', { name: 'Find a step to add' }).waitFor();
  await page.keyboard.type(search);
  await page.keyboard.press('Enter');
  await focused(page, key);
}

describe('the list of steps', { skip: withoutBrowser }, () => {
  it('builds a workflow of four steps by keys alone', async (t) => {
    const { page, admin, path, server } = await opened(t);
    const worker = await scriptedWorker(server, admin.user.tenant_id);
    await admin.upload('scan.pdf', '%PDF-1.4', undefined, 'application/pdf');
    await admin.post('/secrets', { name: 'CROP_KEY', kind: 'generic', value: 'not shown' });
    await page.getByText('No steps yet').waitFor();
    await countPointers(page);

    await t.test('adds each behind the one before, connected', async () => {
      await tabTo(page, /^Add a step$/);
      await page.keyboard.press('Enter');
      await add(page, 'split', 'split_pdf');
      for (const [search, key] of [
        ['crop', 'crop'],
        ['read', 'read_text'],
        ['report', 'report'],
      ] as const) {
        await page.keyboard.press('a');
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
      await tabTo(page, /A new input of the workflow/);
      await page.keyboard.press('Enter');
      await step(page, 'split_pdf').getByText('takes PDF from pdf').waitFor();
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
      await tabTo(page, /^Variables and default of Width/, 'Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Make it a variable of the workflow' }).waitFor();
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
      await page.keyboard.press('Alt+ArrowDown');
      await page.keyboard.press('Delete');
      await step(page, 'crop_2').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+z');
      await step(page, 'crop_2').waitFor();
      await page.keyboard.press('Control+y');
      await step(page, 'crop_2').waitFor({ state: 'detached' });
    });

    await t.test('gives a step the name of a secret, and saves all of it', async () => {
      await step(page, 'crop').focus();
      await page.keyboard.press('Enter');
      await tabTo(page, /^Access key/);
      await page.keyboard.type('CROP');
      await page.getByRole('option', { name: 'CROP_KEY' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page
        .getByText(/^Saved/)
        .first()
        .waitFor();
      const { body } = await admin.get(path.replace(/.*versions/, '/workflows/workflow-versions'));
      const { nodes, edges, inputs, variables } = body.graph;
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
      assert.deepEqual(inputs, [{ name: 'pdf', media_types: ['application/pdf'] }]);
      assert.deepEqual([variables[0].variable_name, variables[0].default], ['width', 640]);
    });

    await t.test('publishes it, runs it on a file, and reads how it went', async () => {
      await tabTo(page, /^Publish…/, 'Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByText('It is the first one to be published: 4 steps.').waitFor();
      await tabTo(page, /^Publish$/);
      await page.keyboard.press('Enter');
      await page.getByText('Version 1 is published.').waitFor();
      await tabTo(page, /^Back to the workflow/, 'Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: /^Run/ }).last().waitFor();
      await tabTo(page, /^Run…/);
      await page.keyboard.press('Enter');
      await tabTo(page, /^Choose files/);
      await page.keyboard.press('Enter');
      await page.getByLabel('Choose scan.pdf').waitFor();
      await tabTo(page, /^Choose scan.pdf/);
      await page.keyboard.press('Space');
      await tabTo(page, /^Choose 1 item/);
      await page.keyboard.press('Enter');
      await tabTo(page, /^Start run/);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/runs\/\d+/);
      await worker.work((order) => worker.succeed(order, resultsOf(order.node_key)));
      await page.getByText('Success').first().waitFor();
    });

    assert.equal(await page.evaluate('window.pointed'), 0, 'the pointer was used');
  });

  it('tests a setting on a file, and leads to the result and back, by keys alone', async (t) => {
    const { page, admin, path, server } = await opened(t, ({ crop }) => ({
      ...none,
      nodes: [{ key: 'crop', node_definition_id: crop, title: 'Crop', map: true }],
      edges: [{ from: { input: 'scans' }, to: { node: 'crop', port: 'image' } }],
      inputs: [{ name: 'scans' }],
    }));
    const worker = await scriptedWorker(server, admin.user.tenant_id);
    await admin.upload('scan.png', 'a picture');
    await countPointers(page);
    const results = page.getByRole('region', { name: 'Results of Crop' });

    await step(page, 'crop').focus();
    await page.keyboard.press('r');
    await page.keyboard.press('Enter');
    await page.getByLabel('Title').and(page.locator(':focus')).waitFor();
    await tabTo(page, /^Width/);
    await page.keyboard.type('300');
    await tabTo(page, /^Croptakes/, 'Shift+Tab');
    await page.keyboard.press('t');
    await page.getByRole('dialog', { name: 'What to test with' }).waitFor();
    await tabTo(page, /^Choose files/);
    await page.keyboard.press('Enter');
    await page.getByLabel('Choose scan.png').waitFor();
    await tabTo(page, /^Choose scan.png/);
    await page.keyboard.press('Space');
    await tabTo(page, /^Choose 1 item/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Use these/);
    await page.keyboard.press('Enter');
    await status(page, /Testing up to Crop/);
    await focused(page, 'crop');
    const [order] = await worker.work((taken) => worker.succeed(taken, resultsOf('crop')));
    assert.equal(order.params.width, 300);
    await status(page, /Tested up to Crop/);

    await page.keyboard.press('r');
    await page.locator('[data-results-title]:focus').waitFor();
    await results.getByText('page.png').first().waitFor();
    await tabTo(page, /^Show the log/);
    await page.keyboard.press('Enter');
    await results.getByText('This step wrote nothing.').waitFor();
    await page.keyboard.press('Escape');
    await results.waitFor({ state: 'detached' });
    await focused(page, 'crop');
    await tabTo(page, /^Up to date/);
    await page.keyboard.press('Enter');
    await page.locator('[data-results-title]:focus').waitFor();

    // Somebody else has it take a value that the sample has not.
    const version = path.replace(/.*versions/, '/workflows/workflow-versions');
    const { body, headers } = await admin.get(version);
    const nodes = [{ ...body.graph.nodes[0], params: { width: '{{vars.width}}' } }];
    const variables = [{ variable_name: 'width', type: 'integer', required: true }];
    const graph = { ...body.graph, nodes, variables };
    const ifMatch = { 'if-match': headers.get('etag') ?? '' };
    assert.equal((await admin.patch(version, { graph }, { headers: ifMatch })).status, 200);
    await results.getByText('Out of date').waitFor();
    await tabTo(page, /^Test again/);
    await page.keyboard.press('Enter');
    const sample = page.getByRole('dialog', { name: 'What to test with' });
    await sample.getByRole('textbox', { name: 'width' }).waitFor();
    assert.equal(await page.evaluate('window.pointed'), 0, 'the pointer was used');
  });

  it('mends what is refused or wrong, also on a phone', async (t) => {
    const { page, admin, world, server } = await opened(t, faultyGraph);

    await t.test('says why a port refuses, and offers what mends it', async () => {
      await step(page, 'split').focus();
      await page.keyboard.press('c');
      const refused = page.getByRole('list', { name: 'Does not fit' });
      await refused.getByText('brings image/png, but "texts" takes text/*.').waitFor();
      await page.getByRole('button', { name: 'Put Read text between' }).click();
      await step(page, 'read_text').getByText('takes image from Split the scan').waitFor();
    });

    await t.test('shows what "once for each file" changes, and mends it', async () => {
      await step(page, 'crop').click();
      await page.getByText('waits for no other file').waitFor();
      await page.getByRole('radio', { name: 'Once for all files' }).check();
      const words = '"pages" of "split" can bring several files, but "image" takes a single file.';
      await page.getByText(words).first().waitFor();
      await page
        .getByRole('button', { name: /faults/ })
        .first()
        .click();
      await page.getByRole('button', { name: 'Run Crop once for each file' }).click();
      await page.getByText('can bring several files, but').first().waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('radio', { name: /Once for each/ }).isChecked(), true);
      await page.getByRole('button', { name: 'Close the list of faults' }).click();
    });

    await t.test('is the editor of a phone', async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      await step(page, 'read').click();
      const language = page.getByRole('dialog').getByRole('combobox', { name: 'Language' });
      await language.fill('fr');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await step(page, 'read').click();
      assert.equal(await language.inputValue(), '');
      const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(beyond) <= 0, `${beyond} px beyond the edge`);
      await page.setViewportSize({ width: 1280, height: 800 });
    });

    await t.test('copies several steps, and pastes them here or in another workflow', async () => {
      const toolbar = page.getByRole('toolbar', { name: 'What is selected' });
      await step(page, 'crop').focus();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Space');
      await step(page, 'read').focus();
      await page.keyboard.press('Space');
      await toolbar.getByText('2 selected').waitFor();
      await page.keyboard.press('Control+c');
      await page.getByText('Copied 2 steps').first().waitFor();
      await page.keyboard.press('Escape');
      await toolbar.waitFor({ state: 'detached' });
      await page.keyboard.press('Control+v');
      const remarks = page.getByRole('dialog', { name: 'Pasted 2 steps' });
      await remarks.getByText(/Not connected/).waitFor();
      await remarks.getByRole('button', { name: 'Close' }).last().click();
      await step(page, 'crop_2').waitFor();
      await page.keyboard.press('Control+z');
      await step(page, 'crop_2').waitFor({ state: 'detached' });
    });

    await t.test('puts steps into frames, and has the notes', async () => {
      await step(page, 'crop').focus();
      await page.keyboard.press('g');
      await page.getByRole('textbox', { name: 'In a new frame' }).fill('Prepare the pages');
      await page.keyboard.press('Enter');
      await step(page, 'crop').getByText('in the frame Prepare the pages').waitFor();
      await focused(page, 'crop');
      await page.locator('[data-note]', { hasText: 'around Crop' }).click();
      await page.getByRole('combobox', { name: 'Frame around' }).fill('read the');
      await page.getByRole('option', { name: 'Read the text' }).click();
      await step(page, 'read').getByText('in the frame Prepare the pages').waitFor();
      await page.keyboard.press('Escape');
      await step(page, 'crop').click();
      await step(page, 'read').click({ modifiers: ['Control'] });
      await checkLooks(page, 'list with notes and selected steps');
      await page.getByRole('button', { name: 'Select nothing' }).click();
      await page.setViewportSize({ width: 360, height: 740 });
      await page.getByRole('button', { name: 'Add a note' }).click();
      await page.getByRole('textbox', { name: 'Text' }).fill('Ask **Ada** first');
      await page.getByRole('button', { name: 'Save note' }).click();
      await page.locator('[data-note]', { hasText: 'Ask Ada first' }).waitFor();
      await page.getByRole('button', { name: 'Actions for the note Ask Ada first' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.locator('[data-note]', { hasText: 'Ask Ada' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Actions for Crop' }).click();
      await page.getByRole('menuitem', { name: 'Copy', exact: true }).click();
      await page.getByText('Copied 1 step').first().waitFor();
      await page.getByRole('button', { name: 'Paste…' }).click();
      await page.getByRole('textbox', { name: 'Copied steps, as text' }).waitFor();
      const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(beyond) <= 0, `${beyond} px beyond the edge`);
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 1280, height: 800 });
    });

    await t.test('leads from each of forty faults to its field', async () => {
      const path = await draftOf(admin, 'Forty', manyFaults(world));
      await page.goto(`${server.url}/app${path}?view=outline`);
      await page.getByRole('button', { name: /^4\d faults/ }).click();
      const rows = page
        .getByRole('region', { name: 'Faults' })
        .getByRole('button', { name: /at least 1/ });
      await rows.nth(38).waitFor();
      assert.equal(await rows.count(), 39);
      const width = page.getByRole('textbox', { name: 'Width' });
      for (const at of [0, 20, 38]) {
        await page.getByRole('button', { name: `"width" of "crop${at}"` }).click();
        await page.locator(`[data-selected] [data-step="crop${at}"]`).waitFor();
        await width.and(page.locator(':focus')).waitFor();
        assert.equal(await width.inputValue(), String(-at - 1));
      }
      await page.getByRole('button', { name: '"crop7" has no input "gone".' }).click();
      await page.locator('[data-pointer="/ports/gone"] :focus').waitFor();
    });
  });
});

/** Thirty-nine settings that do not fit, and a wire to a port that is gone. */
function manyFaults({ split, crop }: Definitions) {
  const crops = Array.from({ length: 39 }, (_, at) => at);
  return {
    nodes: [
      { key: 'split', node_definition_id: split },
      ...crops.map((at) => ({
        key: `crop${at}`,
        node_definition_id: crop,
        map: true,
        params: { width: -at - 1 },
      })),
    ],
    inputs: [{ name: 'scans' }],
    edges: [
      { from: { input: 'scans' }, to: { node: 'split', port: 'pdf' } },
      ...crops.map((at) => ({
        from: { node: 'split', port: 'pages' },
        to: { node: `crop${at}`, port: at === 7 ? 'gone' : 'image' },
      })),
    ],
    variables: [],
  };
}
