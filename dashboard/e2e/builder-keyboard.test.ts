/**
 * The list of steps as an editor: from a new workflow to its results by keys alone. Faults lead to
 * fields.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { type Client, cast } from '../../server/test/cast.ts';
import { type Order, scriptedWorker } from '../../server/test/worker.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { type BuilderWorld, builderDefinitions, draftOf, faultyGraph } from './builder-world.ts';
import { checkLooks } from './looks.ts';
import { followedFaults, followFaults, manyFaults } from './many-faults.ts';

const password = 'correct horse battery';
/** Definitions, and a page of an administrator at a path. */
async function stage(t: TestContext, pathOf: (admin: Client, world: BuilderWorld) => unknown) {
  const { server, admin } = await cast();
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  const world = await builderDefinitions(admin);
  const path = await pathOf(admin, world);
  const page = await openPage(t, {
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  });
  await signInto(page, server, { email: admin.user.email, password }, String(path));
  return { page, admin, world, server };
}

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

const step = (page: Page, key: string) => page.locator(`[data-step="${key}"]`);
const focused = (page: Page, key: string) => page.locator(`[data-step="${key}"]:focus`).waitFor();
const status = (page: Page, words: RegExp) =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor();

const presses = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

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

describe('the list of steps', { skip: withoutBrowser }, () => {
  it('leads from a new workflow of four steps to its results by keys alone', async (t) => {
    const { page, admin, server } = await stage(t, () => '/workflows');
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

  it('mends what is refused or wrong, also on a phone', async (t) => {
    const { page, admin, world, server } = await stage(
      t,
      async (admin, world) =>
        `${await draftOf(admin, 'Scans to report', faultyGraph(world))}?view=outline`,
    );
    await page.getByRole('heading', { name: 'Scans to report' }).waitFor();

    await t.test('says why a port refuses, and offers what mends it', async () => {
      await step(page, 'split').focus();
      await page.keyboard.press('c');
      const refused = page.getByRole('list', { name: 'Does not fit' });
      await refused.getByText('brings image/png, but "texts" takes text/*.').waitFor();
      await page.getByRole('button', { name: 'Put Read text between' }).click();
      await step(page, 'read_text').getByText('takes image from Split the scan').waitFor();
    });

    await t.test('takes files from a new input', async () => {
      await page.getByRole('button', { name: 'Actions for Cover' }).click();
      await page.getByRole('menuitem', { name: 'Choose what image takes' }).click();
      await page.getByRole('button', { name: /^A new input of the workflow/ }).click();
      await step(page, 'cover').getByText('takes image from image').waitFor();
    });

    await t.test('shows what "once for each file" changes, and mends it', async () => {
      await step(page, 'crop').click();
      await page.getByText('waits for no other file').waitFor();
      await page.getByRole('button', { name: 'Use version 2' }).click();
      await page.getByText('There is a newer version.').waitFor({ state: 'detached' });
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

    await t.test('keeps the focus when what has it goes', async () => {
      const keys = (await page.evaluate(
        "[...document.querySelectorAll('[data-step]')].map(({ dataset }) => dataset.step)",
      )) as [string, string, string, string];
      const [, second, , fourth] = keys;
      const toolbar = page.getByRole('toolbar', { name: 'What is selected' });
      const selectTwo = async () => {
        await step(page, second).focus();
        await presses(page, 'Escape', 'Space', 'ArrowDown', 'Space');
        await toolbar.getByText('2 selected').waitFor();
      };
      await selectTwo();
      await page.keyboard.press('Control+x');
      await focused(page, fourth);
      await page.keyboard.press('Control+z');
      await selectTwo();
      await page.keyboard.press('Delete');
      await focused(page, fourth);
      await page.keyboard.press('Control+z');
      await selectTwo();
      await toolbar.getByRole('button', { name: 'Delete what is selected' }).press('Enter');
      await focused(page, fourth);
      await page.keyboard.press('Control+z');
      await selectTwo();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('delete what');
      await page.getByRole('option', { name: /^Delete what is selected/ }).waitFor();
      await page.keyboard.press('Enter');
      await focused(page, fourth);
      await page.keyboard.press('Control+z');
      await selectTwo();
      await toolbar.getByRole('button', { name: 'Select nothing' }).press('Enter');
      await focused(page, second);
      await page.keyboard.press('d');
      await focused(page, `${second}_2`);
      await page.keyboard.press('Control+z');
      await step(page, `${second}_2`).waitFor({ state: 'detached' });
      await page.locator('[data-step]:focus').waitFor();
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
      await page.getByRole('menuitem', { name: 'Copy', exact: true }).click();
      await page.getByText('Copied 1 note').first().waitFor();
      await page.getByRole('button', { name: 'Actions for the note Ask Ada first' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.locator('[data-note]', { hasText: 'Ask Ada' }).waitFor({ state: 'detached' });
      await page.locator('[data-note]:focus', { hasText: 'around Crop' }).waitFor();
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

    await t.test('leads from any of forty faults to its field', async () => {
      const path = await draftOf(admin, 'Forty', manyFaults(world));
      await page.goto(`${server.url}/app${path}?view=outline`);
      await page.getByRole('button', { name: /^4\d faults/ }).click();
      const rows = page
        .getByRole('region', { name: 'Faults' })
        .getByRole('button', { name: /at least 1/ });
      await rows.nth(38).waitFor();
      assert.equal(await rows.count(), 39);
      assert.deepEqual(await page.evaluate(followFaults), followedFaults);
      await page.getByRole('button', { name: '"crop7" has no input "gone".' }).click();
      await page.locator('[data-pointer="/ports/gone"] :focus').waitFor();
    });
  });
});
