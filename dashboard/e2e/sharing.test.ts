/** Sharing in the browser: who has access and why, giving, changing and taking back. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { folder, ownGrant, share } from '../../server/test/sharing.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

const password = 'correct horse battery';

/** The owner's folder `Letters` with `a.txt` in it, seen by one of the people. */
async function letters(t: TestContext, who: 'owner' | 'viewer') {
  const people = await cast();
  const { server, owner } = people;
  const { user } = people[who];
  await setPassword(server.services.db, user.id, password, { must_change: false });
  const { id } = await folder(owner, 'Letters');
  const file = (await owner.upload('a.txt', 'x', id)).body.id as number;
  const page = await openPage(t, { reducedMotion: 'reduce' });
  const open = async () => {
    await signInto(page, server, { email: user.email, password }, `/files/${id}`);
    await page.getByRole('row').filter({ hasText: 'a.txt' }).focus();
    await page.keyboard.press('s');
    await page.getByRole('dialog').waitFor();
  };
  return { ...people, id, file, page, open };
}

const person = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('listitem').filter({ hasText: name });

async function give(page: Page, name: string) {
  await page.getByRole('combobox', { name: 'People' }).fill(name);
  await page.getByRole('option', { name }).click();
}

describe('the share dialog', { skip: withoutBrowser }, () => {
  it('finds people as one types, and gives a level with an end and a difference, which can be taken back', async (t) => {
    const { page, owner, editor, file, open } = await letters(t, 'owner');
    await open();

    await give(page, 'edit');
    await page.getByLabel('Level').selectOption('editor');
    await page.getByLabel('Last day').fill('2099-12-31');
    await page.getByRole('button', { name: 'Differences from the level' }).click();
    await page.getByLabel('Delete').selectOption('Allowed');
    await page.getByRole('button', { name: 'Share', exact: true }).click();

    await person(page, 'editor').getByText('may delete, until 31 Dec 2099').waitFor();
    const grant = await ownGrant(owner, file, editor);
    assert.deepEqual([grant.level, grant.can_delete], ['editor', true]);

    await page.getByRole('button', { name: 'Undo' }).click();
    await person(page, 'editor').waitFor({ state: 'detached' });
    assert.equal(await ownGrant(owner, file, editor), undefined);
  });

  it('changes a grant, takes it back, and gives the same again by Undo', async (t) => {
    const { page, owner, viewer, file, open } = await letters(t, 'owner');
    await share(owner, file, viewer, 'viewer', { can_share: true });
    await open();

    await page.getByRole('button', { name: 'Change the access of viewer' }).click();
    await page.getByLabel('Level').selectOption('editor');
    await page.getByRole('button', { name: 'Save' }).click();
    await person(page, 'viewer').getByText('Editor', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Take back the access of viewer' }).click();
    await person(page, 'viewer').waitFor({ state: 'detached' });
    await page.getByRole('alert').last().getByRole('button', { name: 'Undo' }).click();
    await person(page, 'viewer').getByText('may share').waitFor();
    const grant = await ownGrant(owner, file, viewer);
    assert.deepEqual([grant.level, grant.can_share], ['editor', true]);
  });

  it('shows what is inherited with its folder, which has to be changed there', async (t) => {
    const { page, owner, viewer, id, file, open } = await letters(t, 'viewer');
    await share(owner, id, viewer, 'viewer');
    await share(owner, file, owner, 'owner');
    await open();

    await page.getByText('Who has access to “a.txt”').waitFor();
    const line = person(page, '(you)');
    const href = await line.getByRole('link', { name: 'Letters' }).getAttribute('href');
    assert.match(href ?? '', new RegExp(`/files/${id}$`));
    assert.equal(await page.getByRole('button', { name: /^Change the access/ }).count(), 0);
    assert.equal(await page.getByRole('combobox', { name: 'People' }).count(), 0);
    await page.getByText('Administrators have full access to everything: admin.').waitFor();
  });

  it('says why something cannot be shared like that', async (t) => {
    const { page, open } = await letters(t, 'owner');
    await open();

    await page.getByRole('link', { name: 'Letters' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'My Files' }).click();
    await page.getByRole('row').filter({ hasText: 'Letters' }).focus();
    await page.keyboard.press('s');
    await page.getByRole('button', { name: 'Take back the access of owner' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText(/owner/).waitFor();
  });
});
