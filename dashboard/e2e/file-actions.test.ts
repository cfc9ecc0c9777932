/** Moving, renaming, deleting and taking back, by menus, keys and dragging. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from './browser.ts';
import { filesPage, gone, notice, row } from './files-page.ts';
import { checkLooks } from './looks.ts';

describe('moving files', { skip: withoutBrowser }, () => {
  it('goes by keys alone, into a folder of a folder made on the way, and back by Ctrl+Z', async (t) => {
    const { page, ids, parentOf } = await filesPage(t, ['Letters'], ['a.txt']);
    const root = await parentOf('a.txt');

    await row(page, 'a.txt').focus();
    await page.keyboard.press('m');
    const tree = page.getByRole('tree', { name: 'Folders' });
    await tree.getByRole('treeitem', { name: 'My Files' }).and(page.locator(':focus')).waitFor();
    await page.getByText('It is in this folder now.').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: 'New folder' }).last().click();
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Name' }).waitFor({ state: 'detached' });
    // The dialog below it stays.
    await page.getByRole('button', { name: 'New folder' }).last().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('2026');
    await page.keyboard.press('Enter');
    await tree.getByRole('treeitem', { name: '2026' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');

    await gone(page, 'a.txt');
    await notice(page, '“a.txt” moved to “2026”.').waitFor();
    assert.notEqual(await parentOf('a.txt'), root);
    assert.notEqual(await parentOf('a.txt'), ids.Letters);

    await page.keyboard.press('Control+z');
    await row(page, 'a.txt').waitFor();
    assert.equal(await parentOf('a.txt'), root);
  });

  it('drags the chosen ones onto a folder, and one onto the path', async (t) => {
    const { page, ids, parentOf } = await filesPage(t, ['Letters'], ['a.txt', 'b.txt']);
    const root = await parentOf('a.txt');

    await row(page, 'a.txt').click({ position: { x: 400, y: 8 } });
    await row(page, 'b.txt').click({ position: { x: 400, y: 8 }, modifiers: ['Shift'] });
    await row(page, 'a.txt').dragTo(row(page, 'Letters'), { sourcePosition: { x: 400, y: 8 } });
    await gone(page, 'a.txt');
    await gone(page, 'b.txt');
    await notice(page, '2 items moved to “Letters”.').waitFor();
    assert.equal(await parentOf('b.txt'), ids.Letters);

    await page.getByRole('link', { name: 'Letters' }).click();
    const path = page.getByRole('navigation', { name: 'Path' });
    await row(page, 'a.txt').dragTo(path.getByRole('link', { name: 'My Files' }), {
      sourcePosition: { x: 400, y: 8 },
    });
    await gone(page, 'a.txt');
    assert.equal(await parentOf('a.txt'), root);
    assert.equal(await parentOf('b.txt'), ids.Letters);
  });

  it('says which of several could not be moved and why, and takes back the others', async (t) => {
    const { page, admin, ids, parentOf } = await filesPage(t, ['Letters'], ['a.txt', 'b.txt']);
    await admin.upload('a.txt', 'the same name', ids.Letters);

    await row(page, 'a.txt').focus();
    await page.keyboard.press('Control+a');
    await page.getByLabel('Choose Letters').click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Move' }).click();
    await page.getByRole('treeitem', { name: 'Letters' }).click();
    await page.getByRole('button', { name: 'Move here' }).click();
    await page.getByText('1 item could not be moved.').waitFor();
    await page.getByText('There is already an item named "a.txt"').waitFor();
    assert.equal(await parentOf('b.txt'), ids.Letters);

    await page.keyboard.press('Escape');
    await notice(page, '“b.txt” moved').getByRole('button', { name: 'Undo' }).click();
    await row(page, 'b.txt').waitFor();
  });
});

describe('copying files', { skip: withoutBrowser }, () => {
  it('copies the chosen ones, with numbers after names that are taken, and takes them back', async (t) => {
    const { page, admin, ids } = await filesPage(t, ['Letters'], ['a.txt', 'b.txt']);
    await admin.upload('a.txt', 'the same name', ids.Letters);
    const inside = async () =>
      (await admin.get(`/cogs/?parent_id=${ids.Letters}`)).body.map(
        ({ name }: { name: string }) => name,
      );

    await row(page, 'a.txt').focus();
    await page.keyboard.press('Control+a');
    await page.getByLabel('Choose Letters').click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Copy…' }).click();
    await page.getByRole('treeitem', { name: 'Letters' }).click();
    await page.getByRole('button', { name: 'Copy here' }).click();
    const told = notice(page, '2 items copied to “Letters”.');
    await told.waitFor();
    assert.deepEqual((await inside()).toSorted(), ['a (2).txt', 'a.txt', 'b.txt']);

    await page.getByRole('link', { name: 'Letters' }).click();
    await row(page, 'a (2).txt').waitFor();
    await told.getByRole('button', { name: 'Undo' }).click();
    await gone(page, 'a (2).txt');
    await gone(page, 'b.txt');
    assert.deepEqual(await inside(), ['a.txt']);
  });
});

describe('the actions of files', { skip: withoutBrowser }, () => {
  it('are the same in the menu of a right click, of the dots and of the chosen ones', async (t) => {
    const { page } = await filesPage(t, [], ['a.txt']);
    const items = async () => {
      await page.getByRole('menu').waitFor();
      const names = await page.getByRole('menuitem').allInnerTexts();
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'hidden' });
      return names;
    };

    await row(page, 'a.txt').click({ button: 'right' });
    const ofClick = await items();
    await page.getByRole('button', { name: 'Actions for a.txt' }).click();
    const ofDots = await items();
    await page.getByLabel('Choose a.txt').click();
    await page.getByRole('button', { name: 'More actions' }).click();

    assert.ok(ofClick.length >= 5, ofClick.join());
    assert.deepEqual(ofDots, ofClick);
    assert.deepEqual(await items(), ofClick);
  });

  it('say that somebody else has deleted it, and take it out of the list', async (t) => {
    const { page, admin, ids } = await filesPage(t, ['Letters'], ['a.txt']);
    await row(page, 'a.txt').focus();
    await admin.delete(`/cogs/${ids['a.txt']}`);

    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Name' }).fill('b.txt');
    await page.keyboard.press('Enter');

    await page.getByText('There is no such file or folder').waitFor();
    await gone(page, 'a.txt');
    await page.keyboard.press('Escape');
    await row(page, 'Letters').and(page.locator(':focus')).waitFor();
  });

  it('can be taken back after a rename and after a deletion', async (t) => {
    const { page } = await filesPage(t, ['Letters'], ['a.txt']);

    await row(page, 'a.txt').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Name' }).fill('b.txt');
    await page.keyboard.press('Enter');
    await row(page, 'b.txt').waitFor();
    await notice(page, 'now called “b.txt”').getByRole('button', { name: 'Undo' }).click();
    await row(page, 'a.txt').waitFor();

    await row(page, 'Letters').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await gone(page, 'Letters');
    await notice(page, 'moved to the trash').getByRole('button', { name: 'Undo' }).click();
    await row(page, 'Letters').waitFor();
  });

  it('are one request for all chosen ones, and taken names are asked about once', async (t) => {
    const { page, admin, ids } = await filesPage(t, ['Letters'], ['a.txt', 'b.txt', 'c.txt']);
    const changes: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() !== 'GET' && pathname.startsWith('/cogs')) changes.push(pathname);
    });
    const deleteAll = async () => {
      await row(page, 'a.txt').focus();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await gone(page, 'c.txt');
    };

    await deleteAll();
    await notice(page, '4 items moved to the trash').getByRole('button', { name: 'Undo' }).click();
    await row(page, 'Letters').waitFor();
    assert.deepEqual(changes, ['/cogs/delete', '/cogs/restore']);

    await deleteAll();
    for (const name of ['a.txt', 'b.txt']) await admin.upload(name, 'another one');
    await page.getByRole('link', { name: 'Trash' }).click();
    await row(page, 'c.txt').focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('toolbar').getByRole('button', { name: 'Restore' }).click();
    const asked = page.getByRole('dialog');
    await asked.getByText('The names of 2 items are taken').waitFor();
    await checkLooks(page, 'restore taken names');
    changes.length = 0;
    await asked.getByRole('button', { name: 'Keep both' }).click();
    await notice(page, '4 items restored.').waitFor();
    assert.deepEqual(changes, ['/cogs/restore']);
    const nameOf = async (name: string) => (await admin.get(`/cogs/${ids[name]}`)).body.name;
    assert.equal(await nameOf('c.txt'), 'c.txt');
    assert.equal(await nameOf('a.txt'), 'a (2).txt');
    assert.equal(await nameOf('b.txt'), 'b (2).txt');
  });
});
