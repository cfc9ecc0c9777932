/** Analytics, the subscription and the organizations of a platform in the browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createTenant } from '../../server/src/resources/users/users.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';
import { seeded } from './seeded.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const tab = (page: Page, name: string) => page.getByRole('tab', { name });
/** Radio buttons of a segmented control are hidden behind their labels. */
const choose = (page: Page, name: string) => page.getByText(name, { exact: true }).click();

describe('analytics in the browser', { skip: withoutBrowser }, () => {
  it('shows admins what happened, in charts and numbers, and what may be used', async (t) => {
    const { server, person, tenant } = await seeded();
    const { db, keys } = server.services;
    const quiet = await createTenant(db, keys, 'Quiet people');
    await db`update users set is_platform_admin = true where email = ${person.email}`;
    const page = await openPage(t, { reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' });
    await signInto(page, server, person, `/analytics?tenant=${tenant}`);

    await page.locator('.recharts-surface').first().waitFor();
    await page.getByText('Runs started').first().waitFor();
    await checkLooks(page, 'analytics');

    await tab(page, 'Runs').click();
    await page.getByText('Ended, by outcome').first().waitFor();
    await page.getByText('In part').first().waitFor();
    await checkLooks(page, 'analytics of runs');
    await choose(page, '7 days');
    await choose(page, 'Numbers');
    const outcomes = page.getByRole('region', { name: 'Ended, by outcome, numbers' });
    // Today: one run succeeded, one in part; the one that waits has not ended.
    await outcomes
      .getByRole('row', { name: / 1 1 0 0$/ })
      .first()
      .waitFor();
    assert.equal(await outcomes.getByRole('row').count(), 8);
    await checkLooks(page, 'analytics in numbers');
    assert.match(page.url(), /report=runs/);
    assert.match(page.url(), /range=7d/);
    await page.reload();
    await outcomes.waitFor();

    const download = page.waitForEvent('download');
    await button(page, 'Download CSV').click();
    const file = await download;
    assert.match(file.suggestedFilename(), /^runs_[\d-]{10}_[\d-]{10}\.csv$/);

    await tab(page, 'Nodes').click();
    await page.getByRole('columnheader', { name: 'Time each' }).waitFor();
    await choose(page, 'Charts');
    await choose(page, 'Other');
    await page.getByLabel('First day').fill('2020-01-01');
    await page.getByLabel('Last day').fill('2020-01-31');
    await page.getByText('Nothing happened in this time').waitFor();
    await choose(page, '30 days');
    await page.getByRole('combobox', { name: 'Organization' }).fill('quiet');
    await page.getByRole('option', { name: 'Quiet people' }).click();
    await page.getByText('Nothing happened in this time').waitFor();
    assert.match(page.url(), new RegExp(`tenant=${quiet}`));
    await checkLooks(page, 'empty analytics');

    await page.goto(`${server.url}/app/settings/subscription`);
    await page.getByText('Credits used').first().waitFor();
    await page.locator('.recharts-surface').first().waitFor();
    await checkLooks(page, 'subscription');

    await page.goto(`${server.url}/app/settings/platform`);
    const ask = async (item: string) => {
      await button(page, 'Actions for Quiet people').click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await ask('Name and limits…');
    await page.getByRole('combobox', { name: 'Plan' }).click();
    await page.getByRole('option', { name: 'Team' }).click();
    await page.getByLabel('Seats').fill('3');
    await page.getByLabel('Storage, in GB').fill('-1');
    await page.getByText('A number, or nothing.').waitFor();
    await checkLooks(page, 'limits of an organization');
    await page.getByLabel('Storage, in GB').fill('2.5');
    await button(page, 'Save').click();
    await page.getByText('2.5 GB').waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByText('10,000 left').waitFor();
    await checkLooks(page, 'organizations');
    await ask('Add credits…');
    await page.getByLabel('Credits', { exact: true }).fill('500');
    await page.getByLabel('Reason').fill('for the fair');
    await checkLooks(page, 'add credits');
    await page.getByRole('dialog').getByRole('button', { name: 'Add credits' }).click();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByText('10,500 left').waitFor();
    const [saved] = await db`
      select plan, credits_limit, seats_limit, storage_limit_bytes from tenants where id = ${quiet}
    `;
    assert.deepEqual(saved, {
      ...{ plan: 'team', credits_limit: 10_000, seats_limit: 3 },
      storage_limit_bytes: 2_500_000_000,
    });

    await button(page, 'New organization').click();
    await page.getByLabel('Name').fill('Newcomers');
    await page.getByLabel('E-mail address of its first').fill('first@example.test');
    await checkLooks(page, 'new organization');
    await button(page, 'Make organization').click();
    const password = await page.getByLabel('Password', { exact: true }).inputValue();
    assert.match(password, /^\w{4}(-\w{4}){3}$/);
    await checkLooks(page, 'first administrator');
    await button(page, 'I have saved it').click();
    await button(page, 'Actions for Newcomers').waitFor();
  });

  it('is not for members', async (t) => {
    const { server, tenant } = await seeded();
    const member = await userWithPassword(server, tenant);
    const page = await openPage(t);
    await signInto(page, server, member, '/analytics');
    await page.getByText('No access').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Analytics' }).count(), 0);
  });
});
