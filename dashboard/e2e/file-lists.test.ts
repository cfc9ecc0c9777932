/** Lists whose rows are from many folders: the trash, what is shared, and what a search finds. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { type Client, cast } from '../../server/test/cast.ts';
import { folder, share } from '../../server/test/sharing.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

const password = 'correct horse battery';

async function openAs(t: TestContext, who: 'admin' | 'viewer', path: string) {
  const people = await cast();
  const { server, admin } = people;
  const { user } = people[who];
  await setPassword(server.services.db, user.id, password, { must_change: false });
  const letters = await folder(admin, 'Letters');
  const page = await openPage(t, { reducedMotion: 'reduce' });
  const start = () => signInto(page, server, { email: user.email, password }, path);
  return { ...people, page, letters, start };
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const gone = (page: Page, name: string) => row(page, name).waitFor({ state: 'detached' });

async function deleted(by: Client, name: string, parent?: number): Promise<number> {
  const { body } = await by.upload(name, name, parent);
  assert.equal((await by.delete(`/cogs/${body.id}`)).status, 204);
  return body.id;
}

describe('the trash in the browser', { skip: withoutBrowser }, () => {
  it('says who deleted something and from where, and restores it under another name if its own is taken', async (t) => {
    const { page, admin, owner, letters, start } = await openAs(t, 'admin', '/trash');
    await deleted(owner, 'theirs.txt');
    const mine = await deleted(admin, 'mine.txt', letters.id);
    await admin.upload('mine.txt', 'another', letters.id);
    await start();

    await row(page, 'theirs.txt').getByRole('cell', { name: 'owner' }).waitFor();
    const line = row(page, 'mine.txt');
    await line.getByRole('cell', { name: 'You', exact: true }).waitFor();
    assert.match(
      (await line.getByRole('link', { name: 'My Files / Letters' }).first().getAttribute('href')) ??
        '',
      new RegExp(`/files/${letters.id}$`),
    );
    await line.focus();
    await page.keyboard.press('r');
    await page.getByText('“mine.txt” is taken').waitFor();
    await page.keyboard.press('Enter');
    await gone(page, 'mine.txt');
    const { body } = await admin.get(`/cogs/${mine}`);
    assert.deepEqual([body.name, body.parent_id], ['mine (2).txt', letters.id]);
  });

  it('leaves in the trash what need not come back, and brings back twins together', async (t) => {
    const { page, admin, start } = await openAs(t, 'admin', '/trash');
    const twins = [await deleted(admin, 'twin.txt'), await deleted(admin, 'twin.txt')];
    await admin.upload('twin.txt', 'a third one');
    await start();
    const restoreAll = async () => {
      await row(page, 'twin.txt').first().focus();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('r');
      await page.getByRole('dialog', { name: 'The names of 2 items are taken' }).waitFor();
    };

    await restoreAll();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal((await admin.get('/cogs/trash')).body.length, 2);
    await restoreAll();
    await page.keyboard.press('Enter');
    await page.getByText('2 items restored.').waitFor();

    const names = await Promise.all(
      twins.map(async (id) => (await admin.get(`/cogs/${id}`)).body.name),
    );
    assert.deepEqual(names.sort(), ['twin (2).txt', 'twin (3).txt']);
  });

  it('deletes for ever what is chosen, and then all', async (t) => {
    const { page, admin, start } = await openAs(t, 'admin', '/trash');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await deleted(admin, name);
    await start();

    await page.getByLabel('Choose a.txt').click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete for ever' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for ever' }).click();
    await gone(page, 'a.txt');
    await row(page, 'b.txt').waitFor();

    await page.getByRole('button', { name: 'Empty the trash' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for ever' }).click();
    await page.getByText('The trash is empty').waitFor();
    assert.deepEqual((await admin.get('/cogs/trash')).body, []);
  });
});

describe('files of others', { skip: withoutBrowser }, () => {
  it('are listed when they are shared, and found with the folder that they are in', async (t) => {
    const { page, admin, viewer, letters, start } = await openAs(t, 'viewer', '/shared');
    const year = await folder(admin, '2026', letters.id);
    await admin.upload('scan.pdf', 'x', year.id);
    await share(admin, letters.id, viewer, 'viewer');
    await start();

    await row(page, 'Letters').getByText('Viewer').waitFor();
    await page.getByRole('link', { name: 'Letters' }).click();
    await page.getByRole('searchbox').fill('scan');
    await row(page, 'scan.pdf').getByRole('link', { name: 'Letters / 2026' }).last().click();
    await page.getByRole('heading', { name: '2026' }).waitFor();
    await row(page, 'scan.pdf').waitFor();
  });
});

describe('the address of a file', { skip: withoutBrowser }, () => {
  it('opens it also for somebody who may not see its folder, and says when it is gone', async (t) => {
    const { page, server, admin, viewer, letters, start } = await openAs(t, 'viewer', '/shared');
    const scan = (await admin.upload('scan.txt', 'Dear reader', letters.id)).body.id;
    await share(admin, scan, viewer, 'viewer');
    await start();
    await row(page, 'scan.txt').waitFor();

    await page.goto(`${server.url}/app/files/${letters.id}?preview=${scan}`);
    await page.getByRole('dialog').getByText('Dear reader').waitFor();
    await page.keyboard.press('Escape');
    await row(page, 'scan.txt').waitFor();

    await page.goto(`${server.url}/app/shared?details=999999`);
    await page.getByRole('alert').getByText('The details cannot be shown').waitFor();
    await page.waitForURL(`${server.url}/app/shared`);
  });
});

describe('the search of files', { skip: withoutBrowser }, () => {
  it('ends in the field and in the list by a link, and offers to end when it finds nothing', async (t) => {
    const { page, start } = await openAs(t, 'admin', '/files?q=nowhere');
    await start();
    const field = page.getByRole('searchbox');

    await page.getByText('Nothing is called “nowhere”').waitFor();
    assert.equal(await field.inputValue(), 'nowhere');
    await page.getByRole('link', { name: 'End the search' }).click();
    await row(page, 'Letters').waitFor();
    assert.equal(await field.inputValue(), '');

    await field.fill('lett');
    await row(page, 'Letters').getByRole('link', { name: 'My Files' }).last().waitFor();
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await page.getByRole('columnheader', { name: 'My access' }).waitFor();
    assert.equal(await field.inputValue(), '');

    // Another order is no reason to choose again.
    await page.getByLabel('Choose Letters').click();
    await page.getByRole('button', { name: 'Changed' }).click();
    await page.locator('th[aria-sort]').filter({ hasText: 'Changed' }).waitFor();
    await page.getByText('1 item', { exact: true }).waitFor();
  });
});
