/** Files shown in the page: over the window, and beside the list with their versions. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { onePagePdf, onePixel, silence } from './media.ts';

const password = 'correct horse battery';

async function filesPage(t: TestContext) {
  const { server, admin } = await cast();
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  await admin.upload('a.png', onePixel, undefined, 'image/png');
  await admin.upload('b.pdf', onePagePdf('Dear reader'), undefined, 'application/pdf');
  await admin.upload('c.wav', silence, undefined, 'audio/wav');
  const text = (await admin.upload('d.txt', 'first words', undefined, 'text/plain')).body.id;
  await admin.upload('e.zip', 'PK', undefined, 'application/zip');
  await admin.upload('f.txt', '', undefined, 'text/plain');
  const page = await openPage(t, { reducedMotion: 'reduce', acceptDownloads: true });
  await signInto(page, server, { email: admin.user.email, password });
  await row(page, 'a.png').waitFor();
  const address = (path: string) => `${server.url}/app${path}`;
  return { page, admin, text: text as number, address };
}

/** Elements of the page, whose types this test does not have. */
type Picture = { decode(): Promise<void> };
type Player = { readyState: number; error: unknown } & Record<
  'onloadedmetadata' | 'onerror',
  unknown
>;

/** Runs in the page. */
function whenPlayable(element: unknown): Promise<void> {
  const player = element as Player;
  return new Promise((done, fail) => {
    if (player.readyState > 0) return done();
    player.onloadedmetadata = () => done();
    player.onerror = () => fail(player.error);
  });
}

const enlarge = (page: Page) => page.getByRole('button', { name: 'Show over the whole window' });
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

describe('the preview of files', { skip: withoutBrowser }, () => {
  it('shows picture, PDF, sound and text, from one to the next by arrow keys', async (t) => {
    const { page } = await filesPage(t);
    await row(page, 'a.png').dblclick({ position: { x: 400, y: 8 } });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 of 6').waitFor();
    const picture = dialog.getByRole('img', { name: 'a.png' });
    await picture.evaluate((image) => (image as unknown as Picture).decode());

    await page.keyboard.press('ArrowRight');
    await dialog.getByRole('region', { name: 'b.pdf, 1 page' }).getByText('Dear reader').waitFor();
    await page.keyboard.press('ArrowRight');
    const sound = dialog.locator('audio');
    await sound.evaluate(whenPlayable);
    await page.keyboard.press('ArrowRight');
    const text = dialog.getByRole('region', { name: 'd.txt' });
    await text.getByText('first words').waitFor();
    // So that keys scroll it.
    await text.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('There is no preview of this type.').waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download' }).last().click();
    assert.equal((await download).suggestedFilename(), 'e.zip');
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('This file is empty.').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await dialog.getByText('first words').waitFor();

    // Back leads to the list, not through all that was shown.
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    await row(page, 'a.png').waitFor();

    // And from the list to what was before it, however often something was opened and closed.
    await page.getByRole('link', { name: 'Shared with me' }).click();
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await row(page, 'd.txt').focus();
    await page.keyboard.press('Enter');
    await text.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('There is no preview of this type.').waitFor();
    // The focus stays in the dialog.
    await page.locator('[role="dialog"] :focus').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    // It gives the focus back with a short delay.
    await row(page, 'd.txt').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('i');
    await page.getByRole('complementary').waitFor();
    await page.keyboard.press('i');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('heading', { name: 'Shared with me' }).waitFor();
  });

  it('takes a new version beside the list, gives an old one back, and restores it', async (t) => {
    const { page, admin, text, address } = await filesPage(t);
    // Versions of workflows are others, also of one with the same id.
    await page.goto(address(`/runs/new?workflow=${text}`));
    await page.getByText('There is no such workflow.').waitFor();
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await row(page, 'd.txt').focus();
    await page.keyboard.press('i');
    const panel = page.getByRole('complementary', { name: 'Details of d.txt' });
    await panel.getByText('first words').waitFor();
    await panel.getByText('You own it, as an administrator.').waitFor();

    const file = { name: 'any.txt', mimeType: 'text/plain', buffer: Buffer.from('second words') };
    await panel.locator('input[type=file]').setInputFiles([file]);
    await panel.getByText('Version 2, current').waitFor();
    await panel.getByText('second words').waitFor();

    const download = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Actions for version 1' }).click();
    await page.getByRole('menuitem', { name: 'Download' }).click();
    assert.equal(await readFile(await (await download).path(), 'utf8'), 'first words');

    await panel.getByRole('button', { name: 'Actions for version 1' }).click();
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    await panel.getByText('Version 3, current, as version 1').waitFor();
    await panel.getByText('first words').waitFor();
    assert.equal((await admin.get(`/cogs/${text}`)).body.version, 3);

    await panel.getByRole('button', { name: 'Actions for version 2' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for ever' }).click();
    await panel.getByText('Version 2').waitFor({ state: 'detached' });

    // What is chosen in the list is what the panel shows, and the list marks it.
    await row(page, 'a.png').focus();
    await page.keyboard.press('Space');
    await page.getByRole('complementary', { name: 'Details of a.png' }).waitFor();
    await page.locator('[aria-current="true"]').filter({ hasText: 'a.png' }).waitFor();
    assert.equal(await enlarge(page).count(), 1);
    // Its player has a menu there.
    await row(page, 'c.wav').focus();
    await page.keyboard.press('i');
    await page.getByRole('complementary').locator('audio').waitFor();
    assert.equal(await enlarge(page).count(), 0);

    await page.keyboard.press('i');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.keyboard.press('i');
    await page.getByRole('button', { name: 'Close the details' }).focus();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await row(page, 'c.wav').and(page.locator(':focus')).waitFor();
  });
});

describe('files as pictures', { skip: withoutBrowser }, () => {
  it('are walked by arrow keys in both directions, chosen and opened, and remembered', async (t) => {
    const { page } = await filesPage(t);
    await page.getByRole('button', { name: 'Show as pictures' }).click();
    const grid = page.getByRole('grid', { name: 'Files' });
    const tile = (name: string) => grid.getByRole('gridcell').filter({ hasText: name });
    const focused = (name: string) => tile(name).and(page.locator(':focus')).waitFor();
    await tile('a.png').locator('img').waitFor();
    await tile('b.pdf').locator('img').waitFor();

    await tile('a.png').focus();
    await page.keyboard.press('ArrowRight');
    await focused('b.pdf');
    await page.setViewportSize({ width: 620, height: 800 });
    await grid.and(page.locator('[aria-colcount="3"]')).waitFor();
    await page.keyboard.press('ArrowDown');
    await focused('e.zip');
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('2 items', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('2 of 6').waitFor();
    await page.keyboard.press('Escape');
    await focused('b.pdf');

    await page.getByRole('combobox', { name: 'Order' }).selectOption('Name, from the end');
    await grid.getByRole('gridcell').first().filter({ hasText: 'f.txt' }).waitFor();
    await page.reload();
    await tile('a.png').waitFor();
  });
});
