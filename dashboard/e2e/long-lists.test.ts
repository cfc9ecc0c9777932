/** Lists too long to be rendered as a whole. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

const password = 'correct horse battery';

/** A page at a folder with 1200 others in it. */
async function longList(t: TestContext, pageSize?: number) {
  const { server, admin } = await cast();
  const { db } = server.services;
  await setPassword(db, admin.user.id, password, { must_change: false });
  const { body: folder } = await admin.post('/cogs', { name: 'Many', cog_type: 'asset_folder' });
  await db`
    insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
    select ${admin.user.tenant_id}, ${folder.id}, 'child ' || to_char(n, 'FM0000'),
           'asset_folder', ${admin.user.id}
    from generate_series(1, 1200) as n
  `;
  const page = await openPage(t, { reducedMotion: 'reduce' });
  if (pageSize !== undefined) {
    await page.route(/\/cogs\/\?.*parent_id/, (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', String(pageSize));
      return route.continue({ url: url.href });
    });
  }
  await signInto(page, server, { email: admin.user.email, password }, `/files/${folder.id}`);
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  const focused = (name: string) => row(name).and(page.locator(':focus'));
  await row('child 0001').focus();
  return { page, row, focused };
}

/** What follows the first page. */
const nextPages = /\/cogs\/\?.*cursor=/;

describe('a long list of files', { skip: withoutBrowser }, () => {
  it('is walked by keys to its end, with few rows in the page and none twice', async (t) => {
    const { page, row, focused } = await longList(t);
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '-1');

    // It leads on as more is loaded.
    await page.keyboard.press('End');
    await focused('child 1200').waitFor();

    assert.equal(await focused('child 1200').getAttribute('aria-rowindex'), '1201');
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '1201');
    assert.ok((await page.getByRole('row').count()) < 60);
    await page.keyboard.press('ArrowUp');
    await focused('child 1199').waitFor();
    await page.keyboard.press('Shift+Home');
    await page.getByText('1,199 items').waitFor();
    await focused('child 0001').waitFor();

    // Out of sight it keeps the focus, and is where the keys go on.
    await page.mouse.wheel(0, 30_000);
    await row('child 0600').waitFor();
    await focused('child 0001').waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowDown');
    await focused('child 0002').waitFor();

    // It stays in place when something is shown beside it.
    await page.keyboard.press('End');
    await focused('child 1200').waitFor();
    await page.keyboard.press('i');
    await page.getByRole('complementary', { name: 'Details of child 1200' }).waitFor();
    await row('child 1199').waitFor();
    assert.ok(Number(await page.evaluate('scrollY')) > 10_000);
  });

  it('is chosen as a whole, also what is not loaded yet, and meanwhile nothing is done with a part', async (t) => {
    const { page } = await longList(t);
    const bar = page.getByRole('toolbar', { name: 'Chosen items' });
    const box = page.getByRole('checkbox', { name: 'Choose all' });
    const loading = Promise.withResolvers<void>();
    await page.route(nextPages, async (route) => {
      await loading.promise;
      await route.continue();
    });

    await box.click();
    await bar.getByText('500 items').waitFor();
    await bar.getByText('Choosing the rest').waitFor();
    await page.getByRole('status', { name: 'Loading more' }).waitFor();
    assert.equal(await box.isChecked(), false);
    assert.equal(await bar.getByRole('button', { name: 'Delete' }).isDisabled(), true);
    await page.keyboard.press('Delete');
    assert.equal(await page.getByRole('dialog').count(), 0);
    loading.resolve();

    await bar.getByText('1,200 items', { exact: true }).waitFor();
    assert.equal(await box.isChecked(), true);
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1,200 items go to the trash').waitFor();
    await page.keyboard.press('Escape');

    // Too many for an address.
    await bar.getByRole('button', { name: 'Run workflow…' }).click();
    await page.getByText('… and 1,180 more items').waitFor();
    await page.reload();
    await page.getByText('… and 1,180 more items').waitFor();
  });

  it('is not loaded again as a whole, and shows where it belongs what is restored or made', async (t) => {
    // More pages than are loaded again.
    const { page, row, focused } = await longList(t, 200);
    await page.keyboard.press('End');
    await focused('child 1200').waitFor();
    let listed = 0;
    page.on('request', (request) => {
      if (/\/cogs\/\?/.test(request.url())) listed += 1;
    });

    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row('child 1200').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('child 1200').waitFor();
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('child 1199 b');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'New folder' }).and(page.locator(':focus')).waitFor();
    await row('child 0001').focus();
    await page.keyboard.press('End');
    await focused('child 1200').and(page.locator('[aria-rowindex="1202"]')).waitFor();
    await row('child 1199 b').and(page.locator('[aria-rowindex="1201"]')).waitFor();

    assert.equal(listed, 0);
  });

  it('says when the rest could not be loaded, waits to be asked again, and then chooses it', async (t) => {
    const { page } = await longList(t);
    const bar = page.getByRole('toolbar', { name: 'Chosen items' });
    let failures = 0;
    await page.route(nextPages, async (route) => {
      failures += 1;
      await route.fulfill({ status: 500, json: { detail: 'Not now.' } });
    });

    await page.keyboard.press('Control+a');
    await bar.getByText('The rest could not be loaded').waitFor();
    await page.keyboard.press('End');
    await page.getByRole('alert').getByText('Not now.').waitFor();
    assert.equal(failures, 1);
    await page.unroute(nextPages);
    await page.getByRole('button', { name: 'Try again' }).click();

    await bar.getByText('1,200 items', { exact: true }).waitFor();
  });
});
