import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, client } from '../../server/test/cast.ts';
import { clientId, clientSecret, identityProvider } from '../../server/test/identity-provider.ts';
import { startServer } from '../../server/test/server.ts';
import { userWithPassword } from '../../server/test/sign-in.ts';
import { openPage, signInByForm, withoutBrowser } from './browser.ts';

describe('signing in with the browser', { skip: withoutBrowser }, () => {
  it('ends on the dashboard, also after Back', async (t) => {
    const { server, admin } = await cast();
    const person = await userWithPassword(server, admin.user.tenant_id);
    const page = await openPage(t);
    await signInByForm(page, server, person, '/settings/api-keys');
    await page.getByText('No API keys yet').waitFor();

    const answers: number[] = [];
    page.on('response', (response) => answers.push(response.status()));
    await page.goBack();

    await page.waitForURL(`${server.url}/app/**`);
    await page.getByText('This folder is empty').waitFor();
    assert.deepEqual(
      answers.filter((status) => status >= 400),
      [],
    );
  });

  it('at an external provider asks first about the invitation whose link was opened', async (t) => {
    const idp = await identityProvider();
    const server = await startServer({
      OIDC_ISSUER: idp.url,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
    });
    const email = 'guest@corp.test';
    const invitedBy = async (name: string) => {
      const admin = client(server.url, await idp.accessToken({ sub: name, name }));
      return (await admin.post('/invitations/', { email, role: 'member' })).body.link as string;
    };
    const link = await invitedBy('Real');
    await invitedBy('Newer');
    idp.person = { sub: 'guest', email, email_verified: true };
    const page = await openPage(t);

    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in to join' }).click();
    await page.getByRole('link', { name: /^Continue with/ }).click();
    await page.getByRole('button', { name: /^Join/ }).first().waitFor();
    const offered = await page.getByRole('button', { name: /^Join/ }).allTextContents();

    assert.deepEqual(offered, ['Join Real', 'Join Newer']);
  });
});
