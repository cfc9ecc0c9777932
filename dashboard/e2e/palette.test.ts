/** The palette goes to everything by a part of its name; the bell tells of runs that end. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';
import { seeded } from './seeded.ts';

const field = (page: Page) => page.getByRole('combobox', { name: 'Search and commands' });
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name }).first();

async function find(page: Page, text: string, name: string | RegExp) {
  await page.keyboard.press('Control+k');
  await field(page).fill(text);
  await option(page, name).waitFor();
}

it('everything is found by a part of its name, and done by keys', {
  skip: withoutBrowser,
}, async (t) => {
  const { server, person, folder, workflow, runs } = await seeded();
  const page = await openPage(t, { reducedMotion: 'reduce' });
  await signInto(page, server, person);
  await page.getByRole('link', { name: 'Letters' }).waitFor();
  const search = page.getByRole('button', { name: 'Search and commands' });
  const url = (path: string) => page.waitForURL(`${server.url}/app${path}`);

  await t.test('Escape gives the focus back', async () => {
    await search.click();
    await option(page, 'New run').waitFor();
    await checkLooks(page, 'palette');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await search.and(page.locator(':focus')).waitFor();
  });

  await t.test('what is typed with its keys is never a key of the page', async () => {
    const focused = await page.evaluate(`(async () => {
      const keys = { key: 'k', ctrlKey: true, bubbles: true };
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', keys));
      // The next key comes after the microtasks of this one.
      for (let turns = 0; turns < 20; turns += 1) await undefined;
      return document.activeElement.getAttribute('role');
    })()`);
    assert.equal(focused, 'combobox');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await search.and(page.locator(':focus')).waitFor();
  });

  await t.test('nor before the palette has been loaded', async () => {
    const loaded = Promise.withResolvers<void>();
    await page.route('**/palette-host-*.js', async (route) => {
      await loaded.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('link', { name: 'Letters' }).waitFor();
    await page.evaluate(`
      window.heard = '';
      addEventListener('keydown', ({ key }) => void (window.heard += key));
    `);
    await page.keyboard.type('a');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('d');
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Escape');
    await page.keyboard.type('b');
    assert.match(String(await page.evaluate('window.heard')), /^a(Control)?kb$/);
    await page.keyboard.press('Control+k');
    loaded.resolve();
    await field(page).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  await t.test('a folder, a file, a workflow, a version, a run, a step, a setting', async () => {
    await find(page, 'letters', /^Letters/);
    await checkLooks(page, 'palette with what was found');
    await page.setViewportSize({ width: 1280, height: 800 });
    await field(page).press('Enter');
    await url(`/files/${folder}`);
    await find(page, 'hort.t', /short.txt/);
    await field(page).press('Enter');
    await url(`/files/${folder}?preview=*`);
    await page.getByRole('dialog', { name: /short.txt/ }).waitFor();
    const cases: [string, RegExp, string][] = [
      ['to text', /^Letters to text$/, `/workflows/${workflow}`],
      ['letters to text v2', /version 2/, `/workflows/${workflow}/versions/*`],
      [`run ${runs.failed}`, /Partial success/, `/runs/${runs.failed}`],
      ['secr', /^Secrets/, '/settings/secrets'],
    ];
    for (const [text, name, path] of cases) {
      await find(page, text, name);
      await option(page, name).click();
      await url(path);
    }
    await page.keyboard.press('Control+k');
    await option(page, /^Letters to text/).waitFor();
    await page.keyboard.press('Escape');
  });

  await t.test('what the buttons do', async () => {
    await find(page, 'dark', /^Dark/);
    await field(page).press('Enter');
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await find(page, 'as the sys', /^Colours as/);
    await field(page).press('Enter');
    await find(page, 'new fol', /^New folder/);
    await field(page).press('Enter');
    await page.getByRole('dialog', { name: 'New folder' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${server.url}/app/files/999999999`);
    await search.waitFor();
    await find(page, 'new fol', /^New folder/);
    await field(page).press('Enter');
    await page.getByText('No folder can be made here').first().waitFor();
  });

  await t.test('what the screen can do, and the steps of its graph', async () => {
    const give = async (text: string, name: RegExp) => {
      await find(page, text, name);
      await page
        .getByRole('group')
        .filter({ has: option(page, name) })
        .first()
        .waitFor();
      await field(page).press('Enter');
      await page
        .getByRole('dialog', { name: 'Search and commands' })
        .waitFor({ state: 'detached' });
    };
    const graph = Promise.withResolvers<void>();
    await page.route('**/workflows/workflow-versions/*', async (route) => {
      await graph.promise;
      await route.continue();
    });
    await page.goto(`${server.url}/app/runs/${runs.failed}`);
    await search.click();
    const chosen = page.locator('[role="option"][aria-selected="true"]');
    await field(page).fill('letter');
    await option(page, /^Letters/).waitFor();
    const before = await chosen.innerText();
    graph.resolve();
    await option(page, /^Read the letter/).waitFor();
    // Above the others; but nothing comes in the place of what Enter would take.
    assert.equal(await chosen.innerText(), before);
    await field(page).fill('read the l');
    await chosen.filter({ hasText: 'Read the letter' }).waitFor();
    await field(page).press('Enter');
    await page.locator('[data-node]:focus', { hasText: 'Read the letter' }).waitFor();
    await page.waitForURL(/node=/);
    await give('restart what', /^Restart what failed/);
    await page.getByRole('dialog', { name: 'Restart what failed' }).waitFor();
    await page.keyboard.press('Escape');

    await find(page, 'to text', /^Letters to text$/);
    await option(page, /^Letters to text$/).click();
    await page
      .getByRole('button', { name: 'Edit' })
      .or(page.getByRole('link', { name: 'Edit' }))
      .first()
      .waitFor();
    await give('edit the', /^Edit the workflow/);
    await page.getByRole('button', { name: 'Tidy' }).waitFor();
    await give('read the l', /^Read the letter/);
    await page.locator('[data-card^="node:"]:focus').waitFor();
    await page.waitForURL(/node=/);
    await find(page, 'undo', /Nothing to undo/);
    await option(page, /Nothing to undo/)
      .and(page.locator('[aria-disabled]'))
      .waitFor();
    await page.getByRole('status').getByText('1 result.').waitFor();
    await checkLooks(page, 'palette with commands of the builder');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await give('as an out', /^Show as an outline/);
    // Until it is shown, the palette offers the steps of the canvas.
    await page.locator('[data-step]').first().waitFor();
    await give('read the l', /^Read the letter/);
    await page.locator('[data-step]:focus').waitFor();
    await give('publish', /^Publish/);
    await page
      .getByRole('dialog')
      .filter({ hasText: /Publish/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await find(page, 'letters', /^Letters/);
    await option(page, /^Letters/).click();
    await url(`/files/${folder}`);
    await page.getByRole('checkbox', { name: /short.txt/ }).check();
    await give('share', /^Share/);
    await page.getByRole('dialog', { name: /short.txt/ }).waitFor();
    await page.keyboard.press('Escape');

    await find(page, 'secrets', /^Secrets/);
    await option(page, /^Secrets/).click();
    await page.getByRole('button', { name: 'New secret' }).first().waitFor();
    await give('new sec', /^New secret…/);
    await page.getByRole('dialog', { name: 'New secret' }).waitFor();
    await page.keyboard.press('Escape');
  });

  await t.test('the bell counts runs that end, and lists them', async () => {
    await page.goto(`${server.url}/app/runs/${runs.waiting}`);
    await page.getByRole('button', { name: 'Ended runs', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    const bell = page.getByRole('button', { name: 'Ended runs, 1 new' });
    await bell.waitFor();
    // Read on, and on a page without controls that the list would half cover.
    await page.goto(`${server.url}/app/files/999999`);
    await bell.click();
    await page.getByRole('link', { name: new RegExp(`#${runs.waiting}.*new`) }).waitFor();
    await checkLooks(page, 'bell');
    await page.getByRole('link', { name: new RegExp(`#${runs.failed}`) }).click();
    await page.waitForURL(`${server.url}/app/runs/${runs.failed}`);
    await page.getByRole('button', { name: 'Ended runs', exact: true }).waitFor();
  });
});
