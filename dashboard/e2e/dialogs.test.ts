/** The keyboard focus before, in and after a dialog. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { cast } from '../../server/test/cast.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

async function signedIn(t: TestContext, path: string, folders: string[] = []) {
  const people = await cast();
  const { server, admin } = people;
  const person = await userWithPassword(server, admin.user.tenant_id);
  const page = await openPage(t, { reducedMotion: 'reduce' });
  await signInto(page, server, person, path);
  for (const name of folders) {
    await page.getByRole('button', { name: 'New folder' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name }).waitFor();
    await focusIsOn(page, page.getByRole('button', { name: 'New folder' }).first());
  }
  return page;
}

/** Waits until the element has the focus: a dialog releases it with a short delay. */
const focusIsOn = (page: Page, place: Locator) => place.and(page.locator(':focus')).waitFor();

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/**
 * Clicks what has the focus, or presses a key on it, and another key before anything but microtasks.
 *
 * @returns the label of the field that has the focus then, and the keys that listeners of the page
 *   heard after the first.
 */
const actAndPress = (page: Page, first: string, second: string) =>
  page.evaluate(`(async () => {
    const press = async (key) => {
      const options = { key, bubbles: true, cancelable: true };
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', options));
      for (let turns = 0; turns < 20; turns += 1) await undefined;
    };
    if ('${first}' === 'click') document.activeElement.click();
    await press('${first}');
    const heard = [];
    const hear = ({ key }) => heard.push(key);
    addEventListener('keydown', hear);
    const field = document.activeElement.closest('[role="dialog"] input')?.labels[0].textContent;
    await press('${second}');
    removeEventListener('keydown', hear);
    return { field: field ?? '', heard };
  })()`);

/** A dialog that moves is drawn from the next frame on. */
const twoFrames = `new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
})`;

const field = (page: Page, name: string) => page.getByRole('dialog').getByRole('textbox', { name });

describe('the keys after the one that opens a dialog', { skip: withoutBrowser }, () => {
  it('are of its field at once', async (t) => {
    const page = await signedIn(t, '/', ['Drafts']);
    // A list that is shown loads its dialogs.
    const loading = page.waitForResponse(/\/share-dialog-.*\.js$/);
    await page.reload();
    await page.evaluate(`import('${(await loading).url()}')`);
    await row(page, 'Drafts').focus();
    assert.deepEqual(await actAndPress(page, 'F2', 'x'), { field: 'Name', heard: ['x'] });
    await page.keyboard.press('Escape');
    await focusIsOn(page, row(page, 'Drafts'));
  });

  it('are of nobody while it moves in, also from a menu', async (t) => {
    const page = await signedIn(t, '/', ['Drafts']);
    await page.goto(new URL('/app/settings/api-keys', page.url()).href);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await button(page, 'New API key').focus();
    assert.deepEqual(await actAndPress(page, 'click', 'x'), { field: '', heard: [] });
    await focusIsOn(page, field(page, 'Description'));
    await page.keyboard.press('Escape');
    await focusIsOn(page, button(page, 'New API key'));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // One that is left before it was drawn takes nothing.
    assert.deepEqual(await actAndPress(page, 'click', 'Escape'), { field: '', heard: [] });
    await page.evaluate(twoFrames);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focusIsOn(page, button(page, 'New API key'));

    await page.goto(new URL('/app/', page.url()).href);
    await row(page, 'Drafts').waitFor();
    await page.getByRole('button', { name: 'Actions for Drafts' }).press('Enter');
    const rename = page.getByRole('menuitem', { name: 'Rename' });
    await rename.focus();
    assert.deepEqual(await actAndPress(page, 'click', 'Delete'), { field: '', heard: [] });
    await focusIsOn(page, field(page, 'Name'));
    assert.equal(await page.getByRole('dialog').count(), 1);
  });

  it('do nothing while it loads, and Escape cancels it', async (t) => {
    const page = await signedIn(t, '/', ['Drafts']);
    const loaded = Promise.withResolvers<void>();
    await page.route('**/folder-dialog-*.js', async (route) => {
      await loaded.promise;
      await route.continue();
    });
    await page.reload();
    await row(page, 'Drafts').focus();
    const loading = page.getByRole('status').filter({ hasText: 'Loading …' });
    await page.keyboard.press('m');
    await loading.waitFor();
    assert.deepEqual(await actAndPress(page, 'Delete', 'Delete'), { field: '', heard: [] });
    await page.keyboard.press('Control+k');
    await loading.waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.keyboard.press('Escape');
    await loading.waitFor({ state: 'detached' });
    await page.keyboard.press('m');
    await loading.waitFor();
    loaded.resolve();
    await page.getByRole('dialog', { name: /Move/ }).waitFor();
    await page.keyboard.press('Escape');
    await focusIsOn(page, row(page, 'Drafts'));
  });
});

describe('the focus after a dialog', { skip: withoutBrowser }, () => {
  it('returns to the button, the row or the menu that opened it', async (t) => {
    const page = await signedIn(t, '/', ['Drafts']);

    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await focusIsOn(page, button(page, 'New folder'));

    await row(page, 'Drafts').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Name' }).fill('Final');
    await page.keyboard.press('Enter');
    await focusIsOn(page, row(page, 'Final'));

    await page.getByRole('button', { name: 'Actions for Final' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await focusIsOn(page, button(page, 'Actions for Final'));
  });

  it('goes on to the next row when its row was deleted, and to the title after the last', async (t) => {
    const page = await signedIn(t, '/', ['First', 'Second', 'Third']);
    const remove = async () => {
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    };

    await row(page, 'Second').focus();
    await page.keyboard.press('Delete');
    await remove();
    await focusIsOn(page, row(page, 'Third'));

    await page.getByRole('button', { name: 'Actions for Third' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await remove();
    await focusIsOn(page, row(page, 'First'));

    await page.getByLabel('Choose First').click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await remove();
    await focusIsOn(page, page.getByRole('heading', { name: 'My Files' }));
  });

  it('is on Cancel in a dialog that asks before it deletes', async (t) => {
    const page = await signedIn(t, '/', ['Precious']);

    await row(page, 'Precious').focus();
    await page.keyboard.press('Delete');
    await focusIsOn(page, button(page, 'Cancel'));
    await page.keyboard.press('Enter');

    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await row(page, 'Precious').waitFor();
  });
});

describe('a new API key', { skip: withoutBrowser }, () => {
  it('stays in sight until somebody says that it is saved', async (t) => {
    const page = await signedIn(t, '/files');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New API key' }).first().click();
    await page.getByLabel('Description').fill('Nightly import');
    await page.getByRole('button', { name: 'Create key' }).click();
    const field = page.getByLabel('API key', { exact: true });
    const key = await field.inputValue();

    await page.keyboard.press('Escape');
    await page.getByRole('alert').filter({ hasText: 'Press “I have saved it”' }).waitFor();
    await page.mouse.click(5, 5);
    await page.goBack();
    await page.goForward();
    assert.equal(await page.getByRole('button', { name: 'Close' }).count(), 0);
    assert.equal(await field.inputValue(), key);
    assert.match(page.url(), /\/settings\/api-keys$/);

    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('cell', { name: 'Nightly import', exact: true }).waitFor();
  });

  it('gives the focus to the next key when one is revoked', async (t) => {
    const page = await signedIn(t, '/settings/api-keys');
    for (const name of ['First', 'Second']) {
      await page.getByRole('button', { name: 'New API key' }).first().click();
      await page.getByLabel('Description').fill(name);
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('button', { name: 'I have saved it' }).click();
      await page.getByRole('cell', { name, exact: true }).waitFor();
    }

    await page.getByRole('button', { name: 'Revoke Second' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();

    await focusIsOn(page, button(page, 'Revoke First'));
  });
});
