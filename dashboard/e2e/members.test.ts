/** The people of an organization: inviting and joining, roles, disabling, one's own account, and the log of all that. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { openSealing } from '../../server/src/resources/audit-events/seals/sealing.ts';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { type Cast, cast } from '../../server/test/cast.ts';
import { signIn, userWithPassword } from '../../server/test/sign-in.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';
import { longAddress } from './seeded.ts';

const password = 'correct horse battery';
const quiet = { reducedMotion: 'reduce' } as const;

async function asAdmin(t: TestContext, path: string) {
  const people = await cast();
  const { server, admin } = people;
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  const page = await openPage(t, { ...quiet, acceptDownloads: true });
  await signInto(page, server, { email: admin.user.email, password }, path);
  // The way back from signing in must not be interrupted.
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { ...people, page };
}

/** An address of its own, because addresses are unique in an installation. */
const addressOf = ({ admin }: Cast, name: string) => `${name}-${admin.user.tenant_id}@example.test`;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const dialogButton = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });

async function look(page: Page, name: string) {
  await checkLooks(page, name);
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function menu(page: Page, of: string, item: string) {
  await button(page, `Actions for ${of}`).click();
  await page.getByRole('menuitem', { name: item }).click();
}

async function join(page: Page, first: string) {
  await page.getByLabel('First name').fill(first);
  await page.getByLabel('Last name').fill('Lovelace');
  await page.getByLabel('Choose a password').fill(password);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
}

describe('members in the browser', { skip: withoutBrowser }, () => {
  it('are invited by a link, join with it, change roles and hand over what they leave', async (t) => {
    const { page, ...people } = await asAdmin(t, '/settings/members');
    const { server, admin, owner } = people;
    const email = addressOf(people, 'ada');
    await page.getByText('None. Whoever you invite').waitFor();
    await button(page, 'Rename').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Acme & Sons');
    await dialogButton(page, 'Rename').click();
    await page.getByText('The people of Acme & Sons').waitFor();

    await button(page, 'Invite').click();
    await page.getByLabel('E-mail address').fill(owner.user.email);
    await dialogButton(page, 'Invite').click();
    await page.getByText(`${owner.user.email} is a member already.`).waitFor();
    await look(page, 'invite a member');
    await page.getByLabel('E-mail address').fill(email);
    await dialogButton(page, 'Invite').click();
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    await page.getByText('No mail is sent').waitFor();
    await look(page, 'link of an invitation');
    await dialogButton(page, 'Done').click();
    await row(page, email).getByText('by you').waitFor();

    const newcomer = await openPage(t, quiet);
    await newcomer.goto(link);
    await newcomer.getByRole('heading', { name: 'Join Acme & Sons' }).waitFor();
    await look(newcomer, 'invitation');
    await join(newcomer, 'Ada');
    await newcomer.waitForURL(`${server.url}/app/files`);
    await newcomer.getByText('Ada Lovelace').first().waitFor();
    const late = await openPage(t, quiet);
    await late.goto(link);
    await late.getByText('This invitation was accepted already').waitFor();
    await look(late, 'invitation that has ended');

    await page.reload();
    await menu(page, 'Ada Lovelace', 'Make an administrator');
    await dialogButton(page, 'Make administrator').click();
    await page.getByText('Ada Lovelace is now an administrator.').waitFor();
    await look(page, 'members');
    await newcomer.reload();
    await newcomer.getByRole('link', { name: 'Settings' }).click();
    await newcomer.getByRole('link', { name: 'Audit log' }).waitFor();
    await newcomer.getByRole('link', { name: 'Files' }).click();
    await button(newcomer, 'New folder').click();
    await newcomer.getByRole('textbox', { name: 'Name' }).fill('Plans');
    await newcomer.keyboard.press('Enter');
    await newcomer.getByRole('link', { name: 'Plans' }).waitFor();

    await menu(page, 'Ada Lovelace', 'Disable');
    await page.getByText('1 file or folder: Plans').waitFor();
    await page.getByText('1 session').waitFor();
    await page.getByRole('combobox', { name: 'Who takes over' }).fill('owner');
    await page.getByRole('option', { name: /owner/ }).click();
    await look(page, 'disable a member');
    await dialogButton(page, 'Disable and hand over').click();
    await page.getByText('Ada Lovelace is disabled.').waitFor();
    await row(page, 'Ada Lovelace').getByText('Disabled', { exact: true }).waitFor();

    await menu(page, admin.user.first_name, 'Make a member');
    await dialogButton(page, 'Make member').click();
    await page.getByText('This is the last active administrator.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Search members').fill('lovelace');
    await page.waitForURL(/q=lovelace/);
    await row(page, 'owner').waitFor({ state: 'detached' });
    await menu(page, 'Ada Lovelace', 'Enable');
    await page.getByText('Ada Lovelace is enabled').waitFor();
    const { body: found } = await admin.get('/users/?q=lovelace');
    await admin.patch(`/users/${found[0].id}`, { status: 'disabled' });
    await page.reload();
    await menu(page, 'Ada Lovelace', 'Hand over what is theirs…');
    await page.getByRole('combobox', { name: 'Who takes over' }).waitFor();
    await look(page, 'hand over what somebody has');
    await page.keyboard.press('Escape');
    await menu(page, 'Ada Lovelace', 'Remove');
    await page.getByText('The account cannot be enabled again').waitFor();
    await look(page, 'remove a member');
    await dialogButton(page, 'Remove').click();
    await page.getByText('Nobody is called like that').waitFor();
    assert.equal((await admin.post('/invitations/', { email, role: 'member' })).status, 201);
  });

  it('are told at the limit of seats, and see each other without the means of admins', async (t) => {
    const { page, ...people } = await asAdmin(t, '/settings/members');
    const { server, admin, viewer } = people;
    const { tenant_id } = admin.user;
    await userWithPassword(server, tenant_id, { email: `${tenant_id}.${longAddress}` });
    await server.services.db`update tenants set seats_limit = 6 where id = ${tenant_id}`;
    const email = addressOf(people, 'eve');
    const first = (await admin.post('/invitations/', { email, role: 'member' })).body.link;
    await page.reload();
    await page.getByText('6 of 6 seats taken').waitFor();
    await look(page, 'members without a seat');
    await button(page, `New link for ${email}`).click();
    await dialogButton(page, 'Make a new link').click();
    const second = await page.getByLabel('Link', { exact: true }).inputValue();
    assert.notEqual(second, first);
    await button(page, 'Invite another').click();
    await page.getByLabel('E-mail address').fill(addressOf(people, 'more'));
    await dialogButton(page, 'Invite').click();
    await page.getByText('No seat is left').waitFor();
    await page.keyboard.press('Escape');

    // Somebody else is signed in in the browser in which the link is opened.
    await setPassword(server.services.db, viewer.user.id, password, { must_change: false });
    const other = await openPage(t, quiet);
    await signInto(other, server, { email: viewer.user.email, password }, '/settings/members');
    await row(other, viewer.user.email).getByText('You').waitFor();
    assert.equal(await other.getByRole('button', { name: /Actions for|Invite/ }).count(), 0);
    assert.equal(await other.getByRole('link', { name: 'Audit log' }).count(), 0);
    await other.goto(first);
    await other.getByText('There is a newer invitation').waitFor();
    await other.goto(`${server.url}/app/files`);
    await other.goto(second);
    await other.getByText(`You are signed in as ${viewer.user.email}`).waitFor();
    await look(other, 'invitation of somebody else');
    await button(other, 'Sign out and go on').click();
    await join(other, 'Eve');
    await other.waitForURL(`${server.url}/app/files`);
    await other.getByText('Eve Lovelace').first().waitFor();

    await other.goto(`${server.url}/app/invitation#inv_nothing`);
    await other.getByText('This link is not a whole invitation').waitFor();
  });

  it('change their name and password, see where they are signed in, and leave', async (t) => {
    const { server, viewer } = await cast();
    const { db } = server.services;
    await setPassword(db, viewer.user.id, password, { must_change: false });
    const page = await openPage(t, quiet);
    await signInto(page, server, { email: viewer.user.email, password }, '/settings');
    await page.getByLabel('First name').fill('Vera');
    await page.getByLabel('Last name').fill('Viewer');
    await button(page, 'Save').click();
    await page.getByText('Your name is saved.').waitFor();
    await look(page, 'profile');

    for (let others = 0; others < 2; others++) await signIn(server, viewer.user.email, password);
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByText('This one').waitFor();
    await button(page, 'Change password').waitFor();
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password', { exact: true }).fill('short');
    await page.getByLabel('New password again').fill('short');
    await button(page, 'Change password').click();
    await page.getByText('Must have at least 8 characters.').waitFor();
    await look(page, 'security');
    for (const label of ['New password', 'New password again'])
      await page.getByLabel(label, { exact: true }).fill('a new horse battery');
    await button(page, 'Change password').click();
    await page.getByText('The current password is wrong.').waitFor();
    await button(page, 'End the session of').click();
    await dialogButton(page, 'End it').click();
    await page.getByText('The session has ended.').waitFor();
    await page.getByLabel('Current password').fill(password);
    await button(page, 'Change password').click();
    await page.getByText('Your password is changed.').waitFor();
    await page.getByText('You are signed in nowhere else.').waitFor();

    await page.getByRole('link', { name: 'Profile' }).click();
    await button(page, /^Leave /).click();
    await dialogButton(page, 'Leave').click();
    await page.getByLabel(/^password/i).waitFor();
    assert.equal((await viewer.get('/me')).status, 401);
  });

  it('are in the audit log with what they did, in sentences and as a file', async (t) => {
    const { page, admin, owner, viewer, server } = await asAdmin(t, '/');
    const { id } = (await owner.upload('notes.txt', 'x')).body;
    await owner.post(`/permissions/cogs/${id}`, {
      ...{ target_type: 'cog', target_id: id, user_id: viewer.user.id, level: 'editor' },
    });
    await admin.patch(`/users/${viewer.user.id}`, { role: 'admin' });
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Audit log' }).click();
    const shared = page.getByText('owner shared “notes.txt” with viewer as editor.');
    await shared.waitFor();
    await page.getByText('You made viewer an administrator.').waitFor();
    await look(page, 'audit log');

    await page.getByRole('combobox', { name: 'Who' }).fill('owner');
    await page.getByRole('option', { name: /owner/ }).click();
    await page.getByRole('combobox', { name: 'What' }).click();
    await page.getByRole('option', { name: 'Sharing' }).click();
    await page.waitForURL(/user=\d+/);
    await page.waitForURL(/action=permission/);
    await page.getByText('You made viewer').waitFor({ state: 'detached' });
    await button(page, /^Details of event/).click();
    await page.getByRole('dialog').getByText('permission.granted').waitFor();
    await look(page, 'event of the audit log');
    await page.keyboard.press('Escape');
    const sealSome = openSealing(server.services);
    while ((await sealSome(1000)) === 0);
    await button(page, 'Verify').click();
    await dialogButton(page, 'Verify').click();
    await page.getByText('Nothing was changed').waitFor();
    const seal = page.getByLabel('The newest seal, to keep elsewhere', { exact: true });
    await page.getByLabel('A seal that you kept').fill(await seal.inputValue());
    await dialogButton(page, 'Verify').click();
    await page.getByText('is among these').waitFor();
    await look(page, 'seals of the audit log');
    await page.keyboard.press('Escape');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Download as CSV').click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/);
    assert.match(lines[0] ?? '', /^id,created_at,action/);
    assert.ok(lines.length > 1 && lines.slice(1).every((line) => line.includes('permission.')));

    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Failed or refused' }).click();
    await page.getByText('Nothing of that kind').waitFor();
    await button(page, 'Show all').click();
    await page.getByText('You made viewer an administrator.').waitFor();
    await page.getByLabel('From', { exact: true }).fill('2001-01-01');
    await page.getByLabel('To', { exact: true }).fill('2001-01-02');
    await page.getByText('Nothing of that kind').waitFor();
    await button(page, 'Show all').click();
    await page.getByText('You made viewer an administrator.').waitFor();
  });
});
