/** The list of files in the root, and what tests look for in it. */
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { openPage, signInto } from './browser.ts';

const password = 'correct horse battery';

/** A page of an admin with these folders and files in the root. */
export async function filesPage(t: TestContext, folders: string[], files: string[]) {
  const { server, admin } = await cast();
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  const ids: Record<string, number> = {};
  for (const name of folders) {
    const { body } = await admin.post('/cogs', { name, cog_type: 'asset_folder' });
    ids[name] = body.id;
  }
  for (const name of files) ids[name] = (await admin.upload(name, 'some text')).body.id;
  const page = await openPage(t, { reducedMotion: 'reduce' });
  await signInto(page, server, { email: admin.user.email, password });
  await row(page, folders[0] ?? files[0] ?? '').waitFor();
  const parentOf = async (name: string) => (await admin.get(`/cogs/${ids[name]}`)).body.parent_id;
  return { page, admin, ids, parentOf };
}

/** Shows pictures instead of the list, and waits until the button's tooltip is gone. */
export async function showPictures(page: Page) {
  await page.getByRole('button', { name: 'Show as pictures' }).click();
  await page.mouse.move(0, 0);
  await page.getByRole('tooltip').waitFor({ state: 'detached' });
}

export const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
export const gone = (page: Page, name: string) => row(page, name).waitFor({ state: 'detached' });
export const notice = (page: Page, text: string) =>
  page.getByRole('alert').filter({ hasText: text });
