import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../sdk/src/client.ts';
import { exchangeApiKey } from '../../sdk/src/tokens.ts';
import { cast } from '../../server/test/cast.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';

describe('API keys in the browser', { skip: withoutBrowser }, () => {
  it('makes the first key, which works until it is revoked, and is never shown again', async (t) => {
    const { server, admin } = await cast();
    const person = await userWithPassword(server, admin.user.tenant_id);
    const page = await openPage(t);
    await signInto(page, server, person, '/settings/api-keys');
    await page.getByText('No API keys yet').waitFor();

    await page.getByRole('button', { name: 'New API key' }).first().click();
    await page.getByLabel('Description').fill('Nightly import');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByLabel('API key', { exact: true }).inputValue();
    assert.match(key, /^sk_/);
    await page.getByRole('button', { name: 'I have saved it' }).click();

    const client = createClient({ baseUrl: server.url, token: exchangeApiKey(server.url, key) });
    assert.equal((await client.getMe()).email, person.email);
    await page.reload();
    await page.getByRole('cell', { name: 'Nightly import', exact: true }).waitFor();
    assert.ok(!(await page.content()).includes(key));

    await page.getByRole('button', { name: 'Revoke Nightly import' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('No API keys yet').waitFor();
    await assert.rejects(client.getMe(), { status: 401 });
  });
});
