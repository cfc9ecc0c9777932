import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ensureGlewlwyd, startGlewlwyd } from '../../../../../tools/identity/glewlwyd.ts';
import { client } from '../../../../test/cast.ts';
import { startServer } from '../../../../test/server.ts';
import { authorizationRequest, Browser, codeOf, redeem } from '../../../../test/sign-in.ts';

const missing = await ensureGlewlwyd((line) => console.log(line));

describe('glewlwyd, a provider that is not ours', { skip: missing ?? false }, () => {
  it('signs people in by its discovery alone, and its verified address accepts an invitation', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'cogworks-glewlwyd-'));
    const idp = await startGlewlwyd(folder);
    t.after(async () => {
      await idp.stop();
      await rm(folder, { recursive: true });
    });
    const server = await startServer({
      OIDC_ISSUER: idp.issuer,
      OIDC_CLIENT_ID: idp.client_id,
      OIDC_CLIENT_SECRET: idp.client_secret,
    });
    await idp.addClient(`${server.url}/realms/cogworks/external/callback`);
    const whoIs = async (username: string, verified: boolean) => {
      const email = `${username}@corp.test`;
      const password = 'a fine long password';
      await idp.addUser({ username, password, name: `Name of ${username}`, email, verified });
      const browser = new Browser(server.url);
      // As it has signed in there before.
      const [name = '', value = ''] = (await idp.signIn(username, password)).split('=');
      browser.cookies.set(name, { value, path: '/' });
      const request = authorizationRequest(server.url);
      const page = await browser.follow(request.url);
      const button = /href="([^"]+\/external)"/.exec(page.text)?.[1] ?? '';
      const there = await browser.follow(new URL(button, page.url).href);
      // Its page knows who it is, and asks whether to go on.
      const next = new URL(there.url).searchParams.get('callback_url');
      const back = await browser.follow(`${next}&g_continue`);
      const choice = /name="choice" value="(\d+)"/.exec(back.text)?.[1];
      const done = choice === undefined ? back : await browser.submit(back.url, { choice });
      const code = codeOf(done, server.url);
      assert.ok(code, `${done.status} at ${done.url}: ${done.text}`);
      const { body } = await redeem(server.url, code, request.verifier);
      const me = client(server.url, body.access_token);
      return { ...(await me.get('/me')).body, me };
    };

    const host = await whoIs('host', false);
    await host.me.post('/invitations/', { email: 'guest@corp.test', role: 'member' });
    await host.me.post('/invitations/', { email: 'other@corp.test', role: 'member' });
    const guest = await whoIs('guest', true);
    const other = await whoIs('other', false);

    assert.equal(host.email, 'host@corp.test');
    assert.deepEqual([guest.tenant_id, guest.role], [host.tenant_id, 'member']);
    assert.notEqual(other.tenant_id, host.tenant_id);
  });
});
