/** Every screen, dialog and menu: light and dark, on desktop and phone. */
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLargeScreen, checkLooks } from './looks.ts';
import { longAddress, longName, seeded } from './seeded.ts';

const quiet = { reducedMotion: 'reduce' } as const;

async function signedIn(t: TestContext, path: string) {
  const world = await seeded();
  const page = await openPage(t, quiet);
  await signInto(page, world.server, world.person, path);
  const go = async (to: string, sign: string) => {
    await page.goto(`${world.server.url}/app${to}`);
    await page.getByText(sign).first().waitFor();
  };
  return { ...world, page, go };
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

async function closeDialog(page: Page) {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

describe('how it looks', { skip: withoutBrowser }, () => {
  it('in the files, their menus and dialogs', async (t) => {
    const { page, folder, go } = await signedIn(t, '/');
    await page.getByRole('link', { name: 'Letters' }).waitFor();
    await checkLooks(page, 'files');
    await checkLargeScreen(page, 'files');

    await button(page, 'Actions for notes.txt').click();
    await page.getByRole('menuitem', { name: 'Details' }).waitFor();
    await checkLooks(page, 'menu of a file');
    await page.getByRole('menuitem', { name: 'Details' }).click();
    await page.getByText('Version 1, current').waitFor();
    await page.getByText('It is shared with').waitFor();
    await checkLooks(page, 'details of a file');
    await button(page, 'Close the details').click();
    await button(page, /^notes.txt/).click();
    await page.getByText('1 of 1').waitFor();
    await checkLooks(page, 'preview of a file');
    await closeDialog(page);

    await button(page, 'Actions for notes.txt').click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    await page.getByText('Administrators have full access').waitFor();
    await page.getByRole('combobox', { name: 'People' }).fill('maximilian');
    await page.getByRole('option', { name: longAddress }).waitFor();
    await checkLooks(page, 'people found');
    await page.getByRole('option').first().click();
    await button(page, 'Differences from the level').click();
    await checkLooks(page, 'share a file');
    await closeDialog(page);

    await button(page, 'Actions for notes.txt').click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(longName);
    await page.keyboard.press('Enter');
    await page.getByText('is now called').waitFor();
    await checkLooks(page, 'offer to undo');
    await button(page, 'Undo').click();
    await button(page, 'Actions for notes.txt').waitFor();

    await button(page, /^Account/).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await checkLooks(page, 'menu of the account');
    await page.keyboard.press('Escape');

    await button(page, 'New folder').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Letters');
    await page.keyboard.press('Enter');
    await page.getByText('There is already an item').waitFor();
    await checkLooks(page, 'new folder');
    await closeDialog(page);

    await go(`/files/${folder}`, 'short.txt');
    await button(page, `Actions for ${longName}`).click();
    await page.getByRole('menuitem', { name: 'Move' }).click();
    await page.getByRole('treeitem', { name: 'My Files' }).click();
    await checkLooks(page, 'move a file');
    await closeDialog(page);
    await page.getByLabel('Choose short.txt').click();
    await checkLooks(page, 'chosen files');
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor();
    await checkLooks(page, 'delete');
    await closeDialog(page);

    await go('/files?q=nowhere', 'Nothing is called');
    await checkLooks(page, 'nothing found');
    await go('/files/999999', 'Files');
    await page.getByRole('alert').waitFor();
    await checkLooks(page, 'no such folder');
    await go('/nowhere', 'There is nothing here');
    await checkLooks(page, 'no such page');
  });

  it('in the trash, what is shared, and what a search finds', async (t) => {
    const { page, trashed, go } = await signedIn(t, '/trash');
    await page.getByText(trashed).first().waitFor();
    await checkLooks(page, 'trash');
    await page.getByLabel(`Choose ${trashed}`).click();
    await button(page, 'Delete for ever').click();
    await page.getByRole('dialog').waitFor();
    await checkLooks(page, 'delete for ever');
    await closeDialog(page);

    await go('/shared', 'Nothing is shared with you yet');
    await checkLooks(page, 'nothing shared');
    await page.setViewportSize({ width: 1280, height: 800 });
    await go('/files?q=letter', 'Place');
    await page.getByRole('link', { name: 'My Files / Letters' }).last().waitFor();
    await checkLooks(page, 'found');
    await go('/files', 'notes.txt');
    await button(page, 'Show as pictures').click();
    await page.getByLabel('Choose notes.txt').click();
    await checkLooks(page, 'pictures');
  });

  it('in uploads', async (t) => {
    const { page } = await signedIn(t, '/');
    const file = { name: longName, mimeType: 'text/plain', buffer: Buffer.from('a letter') };
    for (const sign of ['1 file uploaded', 'exists already']) {
      await page.locator('input[type=file]').first().setInputFiles([file]);
      await page.getByText(sign).waitFor();
    }
    await checkLooks(page, 'upload of a taken name');
    await page.setViewportSize({ width: 1280, height: 800 });
    await button(page, 'Skip').click();
    await page.getByText('Skipped').waitFor();
    await checkLooks(page, 'uploads');
  });

  it('in workflows and a new run', async (t) => {
    const { page, workflow, files, go } = await signedIn(t, '/workflows');
    await page.getByText('Letters to text').waitFor();
    await checkLooks(page, 'workflows');

    await go(`/workflows/${workflow}`, 'Version 2');
    await checkLooks(page, 'workflow');

    await go(`/runs/new?workflow=${workflow}&files=${files.join()}`, 'Start run');
    await page.getByText('short.txt').waitFor();
    await checkLooks(page, 'new run');
    await button(page, 'Start run').click();
    await page.getByText('required').first().waitFor();
    await checkLooks(page, 'new run with a fault');
    await page.getByRole('combobox', { name: /language/ }).click();
    await page.getByRole('option', { name: 'fr' }).waitFor();
    await checkLooks(page, 'choices of a variable');
    await page.keyboard.press('Escape');
    await button(page, 'Choose more').click();
    await page.getByLabel('Choose Letters').waitFor();
    await checkLooks(page, 'file picker');
  });

  it('in runs, what failed and what waits', async (t) => {
    const { page, runs, go } = await signedIn(t, '/runs');
    await page.getByText('Partial success').last().waitFor();
    await checkLooks(page, 'runs');

    await go(`/runs/${runs.failed}`, 'Not everything worked');
    await page.getByRole('heading', { name: 'Letters to text' }).waitFor();
    await checkLooks(page, 'run that failed in part');
    await page.getByRole('tab', { name: /Outputs/ }).click();
    await checkLooks(page, 'outputs of a run');
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('listitem').filter({ hasText: 'short.txt' }).first().waitFor();
    await checkLooks(page, 'timeline of a run');
    await go(`/runs/${runs.failed}?cell=each:0`, 'This step wrote nothing.');
    await page.getByText('The same step did 1 other file').waitFor();
    await checkLooks(page, 'failed cell of a run');
    await button(page, 'Try this again').click();
    await page.getByLabel('width').waitFor();
    await checkLooks(page, 'run a cell again');
    await page.keyboard.press('Escape');
    await page.getByLabel('width').waitFor({ state: 'hidden' });
    await page.locator('button:focus', { hasText: 'Try this again' }).waitFor();
    await closeDialog(page);

    await go(`/runs/${runs.waiting}`, 'Cancel run');
    await page.getByRole('gridcell', { name: 'Queued' }).first().waitFor();
    await checkLooks(page, 'run that waits');
    await button(page, 'Cancel run').click();
    await page.getByRole('dialog').waitFor();
    await checkLooks(page, 'cancel a run');

    await go('/runs/999999', 'Runs');
    await page.getByRole('alert').waitFor();
    await checkLooks(page, 'no such run');
  });

  it('in API keys', async (t) => {
    const { page } = await signedIn(t, '/settings/api-keys');
    await page.getByText('No API keys yet').waitFor();
    await checkLooks(page, 'no API keys');
    await button(page, 'New API key').click();
    await page.getByLabel('Description').fill('Nightly import');
    await checkLooks(page, 'new API key');
    await button(page, 'Create key').click();
    await page.getByLabel('API key', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alert').last().waitFor();
    await checkLooks(page, 'API key to save');
    await button(page, 'I have saved it').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await checkLooks(page, 'API keys');
    await button(page, /^Revoke/).click();
    await page.getByRole('dialog').waitFor();
    await checkLooks(page, 'revoke an API key');
  });

  it('at signing in and out', async (t) => {
    const { server, tenant } = await seeded();
    const person = await userWithPassword(server, tenant, { must_change: true });
    const page = await openPage(t, quiet);
    await page.goto(`${server.url}/app/`);
    await page.getByLabel(/e-?mail/i).fill(person.email);
    await checkLooks(page, 'sign in');
    await page.getByLabel(/^password/i).fill('wrong');
    await button(page, 'Sign in').click();
    await page.getByRole('alert').waitFor();
    await checkLooks(page, 'sign in refused');
    await page.getByLabel(/^password/i).fill(person.password);
    await button(page, 'Sign in').click();
    await page.getByLabel('New password', { exact: true }).waitFor();
    await checkLooks(page, 'choose a password');

    await page.getByLabel('New password', { exact: true }).fill('a correct horse battery');
    await page.getByLabel('New password again').fill('a correct horse battery');
    await button(page, 'Save and continue').click();
    // Every member sees it, with the results of their own runs.
    await page.getByRole('link', { name: 'Workflow outputs' }).click();
    await page.getByText('This folder is empty').waitFor();
    await checkLooks(page, 'empty folder');

    await page.goto(`${server.url}/realms/cogworks/session/end`);
    await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
    await checkLooks(page, 'sign out');
    await button(page, 'Sign out').click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await checkLooks(page, 'signed out');
    await page.goto(`${server.url}/realms/cogworks/auth?client_id=nobody`);
    await page.getByRole('alert').waitFor();
    await checkLooks(page, 'sign-in that does not work');
    await page.goto(`${server.url}/app/callback?error=access_denied`);
    await page.getByText('You could not be signed in').waitFor();
    await checkLooks(page, 'sign-in refused by the provider');
  });
});
