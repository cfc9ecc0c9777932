/** The builder with its settings, lists and dialogs: light and dark, on desktop and phone. */
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { builderDefinitions, draftOf, faultyGraph } from './builder-world.ts';
import { checkLargeScreen, checkLooks } from './looks.ts';

const password = 'correct horse battery';

const wide = (page: Page) => page.setViewportSize({ width: 1280, height: 800 });

async function close(page: Page) {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await wide(page);
}

/** What its keys and tools ask. */
async function looksOfTheCanvas(page: Page) {
  for (const [key, title] of [
    ['?', 'Keys of the canvas'],
    ['c', 'Connect Crop'],
    ['F2', 'Title of the step'],
    ['a', 'Add a step'],
  ] as const) {
    await page.locator('[data-card="node:crop"]').focus();
    await page.keyboard.press(key);
    await page.getByRole('dialog', { name: title }).waitFor();
    await checkLooks(page, title);
    await close(page);
  }
  await page.getByRole('button', { name: 'Paste' }).click();
  const box = page.getByRole('dialog', { name: 'Paste steps' });
  await box.getByLabel('Copied steps, as text').fill('{"cogworks": 1, "nodes": "none"}');
  await box.getByRole('button', { name: 'Paste' }).click();
  await box.locator('[aria-invalid="true"]').waitFor();
  await checkLooks(page, 'paste what is no step');
  await close(page);
  await page.getByRole('button', { name: 'Frame around what is selected' }).click();
  await page.getByRole('dialog', { name: 'Frame' }).waitFor();
  await checkLooks(page, 'text of a frame');
  await close(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Add a node' }).click();
  await page.getByRole('dialog').getByRole('button', { name: /^Crop/ }).waitFor();
  await checkLooks(page, 'steps to add');
}

describe('how the builder looks', { skip: withoutBrowser }, () => {
  it('as a list and as a drawing, with settings, faults and dialogs', async (t) => {
    const { server, admin } = await cast();
    await setPassword(server.services.db, admin.user.id, password, { must_change: false });
    const world = await builderDefinitions(admin);
    const path = await draftOf(admin, 'Scans to report', faultyGraph(world));
    const page = await openPage(t, { reducedMotion: 'reduce' });
    const person = { email: admin.user.email, password };
    await signInto(page, server, person, `${path}?view=outline`);
    await page.getByRole('button', { name: '3 faults' }).waitFor();
    await checkLooks(page, 'builder as a list');
    await checkLargeScreen(page, 'builder as a list');

    await wide(page);
    await page.getByRole('button', { name: 'Actions for Crop' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
    await checkLooks(page, 'menu of a step');
    await page.keyboard.press('Escape');

    await wide(page);
    await page.locator('[data-step="crop"]').click();
    await page.getByRole('button', { name: 'Change the key' }).click();
    await checkLooks(page, 'settings of a step');
    await wide(page);
    await page.locator('[data-step="split"]').focus();
    await page.keyboard.press('c');
    await page.getByText('Does not fit').waitFor();
    await checkLooks(page, 'connect a step');
    await close(page);
    await page.locator('[data-step="split"]').focus();
    await page.keyboard.press('a');
    await page.getByRole('list', { name: 'Steps to add' }).waitFor();
    await checkLooks(page, 'add a step after another');
    await close(page);
    await page
      .getByRole('button', { name: /^width/ })
      .first()
      .click();
    await page.getByRole('textbox', { name: 'Least' }).waitFor();
    await checkLooks(page, 'settings of a variable');

    await page.goto(`${server.url}/app${path}?view=canvas&panel=faults`);
    await page.getByRole('region', { name: 'Faults' }).getByText('3 faults, 1 hint').waitFor();
    await checkLooks(page, 'faults of a drawing');
    await checkLargeScreen(page, 'faults of a drawing');
    await wide(page);
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByText('3 faults have to be mended first.').waitFor();
    await checkLooks(page, 'publish with faults');
    await close(page);
    await page.getByRole('button', { name: '3 faults' }).click();
    await looksOfTheCanvas(page);
  });
});
