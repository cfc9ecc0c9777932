/** The folder with the results of a test: what it is, how long it stays, and what can be done there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { draft, test } from '../../server/test/draft-tests.ts';
import { stage } from '../../server/test/runs.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { gone, row } from './files-page.ts';
import { checkLooks } from './looks.ts';

const password = 'correct horse battery';

describe('the folder of a test', { skip: withoutBrowser }, () => {
  it('says when it is removed, and offers only what works in it', async (t) => {
    const people = await stage();
    const { server, owner } = people;
    await setPassword(server.services.db, owner.user.id, password, { must_change: false });
    const { ended } = await test(people, await draft(owner), { until: 'first' });
    const page = await openPage(t, { reducedMotion: 'reduce' });
    const person = { email: owner.user.email, password };
    await signInto(page, server, person, `/files/${ended.output_folder_id}`);
    await row(page, 'tested.txt').waitFor();

    await page.getByText(/They are removed 24 hours after the run has ended/).waitFor();
    await page.getByRole('button', { name: 'Show as pictures' }).waitFor();
    const adding = /Upload|New folder|more ways to upload|on new files/i;
    assert.equal(await page.getByRole('button', { name: adding }).count(), 0);
    await checkLooks(page, 'results of a test');
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByRole('button', { name: 'Actions for tested.txt' }).click();
    await page.getByRole('menuitem', { name: 'Move…' }).click();
    await page.getByRole('treeitem', { name: 'My Files' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'Move here' }).click();
    await gone(page, 'tested.txt');
    await page.getByText('The results were moved elsewhere').waitFor();
    const { body } = await owner.get('/cogs/search?q=tested.txt');
    assert.equal(body.length, 1);
  });
});
