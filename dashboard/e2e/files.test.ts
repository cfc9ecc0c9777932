import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { openPage, signInByForm, signInto, withoutBrowser } from './browser.ts';
import { drop, limitUpload, patternOf } from './drops.ts';

/** The percents that the panel of uploads shows one after the other, until all are done. */
const percentsOfUploads = `new Promise((done) => {
  const seen = new Set();
  const look = () => {
    const panel = document.querySelector('section[aria-label="Uploads"]')?.textContent ?? '';
    const percent = /(\\d+) %/.exec(panel)?.[1];
    if (percent) seen.add(percent);
    if (!/2 files uploaded/.test(panel)) return;
    watching.disconnect();
    done([...seen]);
  };
  const watching = new MutationObserver(look);
  watching.observe(document.body, { subtree: true, childList: true, characterData: true });
})`;

describe('files in the browser', { skip: withoutBrowser }, () => {
  it('signs in at the provider, takes dropped files with progress, and gives the same bytes back', async (t) => {
    const { server, admin } = await cast();
    const person = await userWithPassword(server, admin.user.tenant_id);
    const page = await openPage(t, { acceptDownloads: true });
    await signInByForm(page, server, person);
    await page.getByText('This folder is empty').waitFor();
    await limitUpload(page, 600_000);

    const shown = page.evaluate(percentsOfUploads);
    await drop(page, [
      { name: 'picture.png', type: 'image/png', size_bytes: 900_000 },
      { name: 'notes.txt', type: 'text/plain', size_bytes: 12 },
    ]);

    const seen = (await shown) as string[];
    assert.ok(seen.length >= 3, `the progress moved in steps: ${seen.join(', ')}`);

    const row = page.getByRole('row').filter({ hasText: 'picture.png' });
    await row.getByRole('cell', { name: '900 KB', exact: true }).waitFor();
    const download = page.waitForEvent('download');
    await row.getByRole('button', { name: 'Actions for picture.png' }).click();
    await page.getByRole('menuitem', { name: 'Download' }).click();
    const saved = await (await download).path();
    assert.equal((await download).suggestedFilename(), 'picture.png');
    assert.deepEqual(await readFile(saved), patternOf(900_000));
  });

  it('makes, renames and deletes a folder, and says when a name is taken', async (t) => {
    const { server, admin } = await cast();
    const person = await userWithPassword(server, admin.user.tenant_id);
    const page = await openPage(t);
    await signInto(page, server, person);

    const makeFolder = async (name: string) => {
      await page.getByRole('button', { name: 'New folder' }).first().click();
      await page.getByRole('textbox', { name: 'Name' }).fill(name);
      await page.keyboard.press('Enter');
    };
    await makeFolder('Drafts');
    await page.getByRole('link', { name: 'Drafts' }).waitFor();
    await makeFolder('Drafts');
    await page.getByText('There is already an item named "Drafts"').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'New folder' }).waitFor();

    // By keyboard alone: focus the row, rename it, open it, and go back.
    await page.getByRole('row').filter({ hasText: 'Drafts' }).focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Name' }).fill('Final');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Final' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Final' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Final' }).waitFor();
    assert.match(page.url(), /\/app\/files\/\d+$/);
    await page.getByRole('link', { name: 'My Files' }).click();

    await page.getByRole('row').filter({ hasText: 'Final' }).focus();
    await page.keyboard.press('Delete');
    await page.getByText('The folder “Final” and everything in it goes to the trash').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('This folder is empty').waitFor();
  });

  it('shows what was made while the list was on its way', async (t) => {
    const { server, admin } = await cast();
    const person = await userWithPassword(server, admin.user.tenant_id);
    const page = await openPage(t);
    const made = Promise.withResolvers<void>();
    let asked = 0;
    // The first answer is of the time before, and comes after.
    await page.route(/\/cogs\/\?.*parent_id/, async (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      const answer = await route.fetch();
      await made.promise;
      return route.fulfill({ response: answer });
    });
    await signInto(page, server, person);
    await page.getByRole('button', { name: 'New folder' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Early');
    const answered = page.waitForResponse((one) => one.request().method() === 'POST');
    await page.keyboard.press('Enter');
    await answered;
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    made.resolve();

    await page.getByRole('link', { name: 'Early' }).waitFor();
  });

  it('keeps the folder in the address, and the session in the tab', async (t) => {
    const { server, admin } = await cast();
    const person = await userWithPassword(server, admin.user.tenant_id);
    const page = await openPage(t);
    await signInto(page, server, person);
    await page.getByRole('button', { name: 'New folder' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Deep');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Deep' }).click();
    await page.getByRole('heading', { name: 'Deep' }).waitFor();

    await page.reload();
    await page.getByRole('heading', { name: 'Deep' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'My Files' }).waitFor();
  });

  it('signs out here and at the provider', async (t) => {
    const { server, admin } = await cast();
    const person = await userWithPassword(server, admin.user.tenant_id);
    const page = await openPage(t);
    await signInto(page, server, person);

    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();

    await page.getByLabel(/^password/i).waitFor();
    await page.goto(`${server.url}/app/files`);
    await page.getByLabel(/^password/i).waitFor();
  });
});
