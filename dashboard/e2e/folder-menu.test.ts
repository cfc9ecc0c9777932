/** What can be done beside the rows: the menu of the open folder, and drops onto folders in it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from './browser.ts';
import { dragged } from './drops.ts';
import { filesPage, row, showPictures } from './files-page.ts';
import { checkLooks } from './looks.ts';

const zone = (page: Page) => page.getByRole('region', { name: /^Contents of/ });

/** Clicks below the last row. */
async function openMenu(page: Page) {
  const { height = 0 } = (await zone(page).boundingBox()) ?? {};
  await zone(page).click({ button: 'right', position: { x: 200, y: height - 20 } });
  await page.getByRole('menu').waitFor();
}

const choose = (page: Page, name: string) => page.getByRole('menuitem', { name }).click();

describe('a right click beside the rows', { skip: withoutBrowser }, () => {
  it('offers to make a folder there, to upload, and to choose all', async (t) => {
    const { page, admin } = await filesPage(t, ['Letters'], ['a.txt']);

    await openMenu(page);
    assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), [
      'New folder…',
      'Upload files',
      'Upload a folder',
      'Choose all',
    ]);
    await checkLooks(page, 'menu of a folder');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });

    await openMenu(page);
    await choose(page, 'Choose all');
    await page.getByRole('toolbar').getByText('2 items').waitFor();
    await page.keyboard.press('Escape');

    await openMenu(page);
    await page.getByRole('menuitem', { name: 'New folder' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).fill('Made here');
    await page.keyboard.press('Enter');
    await row(page, 'Made here').waitFor();
    assert.equal((await admin.get('/cogs/?name=Made%20here')).body.length, 1);
  });

  it('uploads chosen files, and a whole folder', async (t) => {
    const { page } = await filesPage(t, ['Letters'], []);
    const dir = await mkdtemp(join(tmpdir(), 'cogworks-menu-'));
    t.after(() => rm(dir, { recursive: true }));
    await writeFile(join(dir, 'b.txt'), 'B');
    const upload = async (item: string, path: string) => {
      await openMenu(page);
      const chooser = page.waitForEvent('filechooser');
      await choose(page, item);
      await (await chooser).setFiles(path);
    };

    await upload('Upload files', join(dir, 'b.txt'));
    await row(page, 'b.txt').waitFor();
    await upload('Upload a folder', dir);
    await row(page, 'cogworks-menu-').waitFor();
  });

  it('leaves the rows their own menu, and fields that of the browser', async (t) => {
    const { page } = await filesPage(t, ['Letters'], ['a.txt']);

    await row(page, 'a.txt').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    assert.equal(await page.getByRole('menu').count(), 1);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    await page.getByRole('searchbox').click({ button: 'right' });
    assert.equal(await page.getByRole('menu').count(), 0);
  });
});

describe('files dragged over a folder of the list', { skip: withoutBrowser }, () => {
  const file = { name: 'scan.txt', type: 'text/plain', size_bytes: 12 };
  const veil = (page: Page) => page.getByText('Drop to upload to “My Files”');

  for (const view of ['list', 'grid'] as const) {
    it(`are uploaded into it, and it shows that before, in the ${view}`, async (t) => {
      const { page, admin, ids } = await filesPage(t, ['Letters'], ['a.txt']);
      if (view === 'grid') await showPictures(page);
      const cell = (name: string) =>
        view === 'list' ? row(page, name) : page.getByRole('gridcell').filter({ hasText: name });
      const carried = { dataTransfer: await dragged(page, [file]) };

      await cell('a.txt').dispatchEvent('dragover', carried);
      await veil(page).waitFor();
      await checkLooks(page, `files over the ${view}`);
      await cell('Letters').dispatchEvent('dragover', carried);
      await veil(page).waitFor({ state: 'detached' });
      assert.equal(await page.locator('[data-over]').count(), 1);
      await checkLooks(page, `files over a folder of the ${view}`);
      await cell('Letters').dispatchEvent('drop', carried);

      await page.getByRole('region', { name: 'Uploads' }).getByText('1 file uploaded').waitFor();
      assert.equal(await page.locator('[data-over]').count(), 0);
      const { body } = await admin.get(`/cogs/?parent_id=${ids.Letters}`);
      assert.deepEqual(
        body.map(({ name }: { name: string }) => name),
        ['scan.txt'],
      );
    });
  }

  it('are uploaded into the open folder when they are dropped onto a file in it', async (t) => {
    const { page, parentOf, admin } = await filesPage(t, ['Letters'], ['a.txt']);
    const carried = { dataTransfer: await dragged(page, [file]) };

    await row(page, 'a.txt').dispatchEvent('dragover', carried);
    await row(page, 'a.txt').dispatchEvent('drop', carried);

    await row(page, 'scan.txt').waitFor();
    const [{ parent_id }] = (await admin.get('/cogs/?name=scan.txt')).body;
    assert.equal(parent_id, await parentOf('a.txt'));
    await veil(page).waitFor({ state: 'detached' });
  });
});
