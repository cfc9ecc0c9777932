/** The list of steps: what is refused or wrong and its mends, a phone, copying, frames and notes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from './browser.ts';
import { draftOf, faultyGraph } from './builder-world.ts';
import { checkLooks } from './looks.ts';
import { followedFaults, followFaults, manyFaults } from './many-faults.ts';
import { focused, outlinePage, presses, step } from './outline-page.ts';

describe('the list of steps', { skip: withoutBrowser }, () => {
  it('mends what is refused or wrong, also on a phone', async (t) => {
    const { page, admin, world, server } = await outlinePage(
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
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.locator('[role="dialog"]:focus').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await step(page, 'read').waitFor();
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
      const deletions: (() => Promise<void>)[] = [
        () => page.keyboard.press('Control+x'),
        () => page.keyboard.press('Delete'),
        () => toolbar.getByRole('button', { name: 'Delete what is selected' }).press('Enter'),
        async () => {
          await page.keyboard.press('Control+k');
          await page.locator('[role="dialog"] input:focus').waitFor();
          await page.keyboard.type('delete what');
          await page.getByRole('option', { name: /^Delete what is selected/ }).waitFor();
          await page.keyboard.press('Enter');
        },
      ];
      for (const deleteThem of deletions) {
        await selectTwo();
        await deleteThem();
        await focused(page, fourth);
        await page.keyboard.press('Control+z');
      }
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

    await t.test('keeps a dialog and what is typed there as the window gets narrow', async () => {
      await page.getByRole('button', { name: 'History' }).click();
      await page.getByRole('complementary', { name: 'History' }).waitFor();
      await page.getByRole('button', { name: 'Add a note' }).click();
      const text = page.getByRole('textbox', { name: 'Text' });
      await text.fill('Half a no');
      await page.setViewportSize({ width: 360, height: 740 });
      await text.and(page.locator(':focus')).waitFor();
      await page.keyboard.type('te');
      await page.getByRole('button', { name: 'Save note' }).click();
      // Then the panel becomes a drawer.
      await page.getByRole('dialog', { name: 'History' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.locator('[data-note]', { hasText: 'Half a note' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
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
