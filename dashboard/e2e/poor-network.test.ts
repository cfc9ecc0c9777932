/** Each answer late and some lost: nobody has to notice more than that. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { seeded } from './seeded.ts';

const late_ms = 300;
/** Of so many answers with data one is lost, which is more than 3 %. */
const lost = 8;

describe('over a poor network', { skip: withoutBrowser }, () => {
  it('everything works that works over a good one', async (t) => {
    const { server, person, folder, runs } = await seeded();
    const page = await openPage(t, { reducedMotion: 'reduce' });
    const answers = await worsen(page);
    await signInto(page, server, person, '/files');
    const go = (path: string) => page.goto(`${server.url}/app${path}`);

    await page.getByRole('link', { name: 'Letters' }).waitFor();
    await page.getByRole('button', { name: 'New folder' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Made from far away');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Made from far away' }).waitFor();

    await go(`/files/${folder}`);
    await page.getByRole('button', { name: /^short.txt/ }).click();
    await page.getByText('another').waitFor();
    await go(`/runs/${runs.failed}`);
    await page.getByRole('grid').getByText('short.txt').waitFor();

    assert.ok(answers.lost > 0, 'nothing was lost');
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  });

  it('a dialog that could not be loaded comes after the page is loaded again', async (t) => {
    const { server, person } = await seeded();
    const page = await openPage(t, { reducedMotion: 'reduce', expects: /dynamically imported/ });
    await page.route(/\/new-folder-dialog-/, (route) => route.abort());
    await signInto(page, server, person, '/files');
    await page.getByRole('button', { name: 'New folder' }).first().click();
    await page.getByText('A part of it could not be loaded').waitFor();

    await page.unroute(/\/new-folder-dialog-/);
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByRole('button', { name: 'New folder' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
  });
});

/** Answers come late, and each that is lost is one the page can ask for again. */
async function worsen(page: Page) {
  const answers = { count: 0, lost: 0 };
  await page.route('**/*', async (route) => {
    await new Promise((done) => setTimeout(done, late_ms));
    // Browsers themselves do not ask again for a page or a script.
    const request = route.request();
    const mayBeLost = request.resourceType() === 'fetch' && request.method() === 'GET';
    if (mayBeLost) answers.count += 1;
    if (!mayBeLost || answers.count % lost > 0) return route.continue();
    answers.lost += 1;
    return route.abort();
  });
  return answers;
}
