/** Lists too long to be rendered as a whole. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

describe('a long list of files', { skip: withoutBrowser }, () => {
  it('is walked by keys to its end, with few rows in the page and none twice', async (t) => {
    const { server, admin } = await cast();
    const { db } = server.services;
    const password = 'correct horse battery';
    await setPassword(db, admin.user.id, password, { must_change: false });
    const { body: folder } = await admin.post('/cogs', { name: 'Many', cog_type: 'asset_folder' });
    await db`
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
      select ${admin.user.tenant_id}, ${folder.id}, 'child ' || to_char(n, 'FM0000'),
             'asset_folder', ${admin.user.id}
      from generate_series(1, 1200) as n
    `;
    const page = await openPage(t, { reducedMotion: 'reduce' });
    await signInto(page, server, { email: admin.user.email, password }, `/files/${folder.id}`);
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    const focused = (name: string) => row(name).and(page.locator(':focus'));

    await row('child 0001').focus();
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '-1');
    for (const last of ['child 0500', 'child 1000', 'child 1200']) {
      await page.keyboard.press('End');
      await focused(last).waitFor();
      // The next page is loaded because the end is in view.
      if (last !== 'child 1200') await page.getByText(nextOf(last)).waitFor();
    }

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
  });
});

const nextOf = (name: string) => `child ${String(Number(name.slice(-4)) + 1).padStart(4, '0')}`;
