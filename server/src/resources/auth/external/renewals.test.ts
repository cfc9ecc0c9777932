import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { client } from '../../../../test/cast.ts';
import { clientId, identityProvider } from '../../../../test/identity-provider.ts';
import { startServer } from '../../../../test/server.ts';

/** A provider, and how its refresh tokens are sent to a server that knows none of them. */
async function provider() {
  const idp = await identityProvider();
  const server = await startServer({ OIDC_ISSUER: idp.url, OIDC_CLIENT_ID: clientId });
  const refresh = (refresh_token: string) =>
    client(server.url).post('/auth/refresh-token', { refresh_token });
  return { idp, refresh };
}

describe('a refresh token that nobody has issued here', () => {
  it('is tried once at the provider, and of many only some are', async () => {
    const { idp, refresh } = await provider();
    idp.renewable = ['good'];
    const guesses = Array.from({ length: 40 }, (_, index) => `guess ${index}`);

    const good = await refresh('good');
    const once = [await refresh('guess 0'), await refresh('guess 0')];
    const answers = await Promise.all(guesses.map(refresh));
    const stillGood = await refresh('good');

    assert.deepEqual([good.status, stillGood.status], [200, 200]);
    assert.deepEqual(
      once.map(({ status }) => status),
      [401, 401],
    );
    assert.equal(answers.filter(({ status }) => status === 401).length, 20);
    assert.equal(answers.filter(({ status }) => status === 429).length, 20);
    assert.equal(idp.renewals.filter((token) => token !== 'good').length, 20);
  });

  it('is tried again after an answer of the provider that is not about the token', async () => {
    const { idp, refresh } = await provider();
    idp.renewable = ['good'];
    const answers = [
      { status: 401, error: 'invalid_client' },
      { status: 400, error: 'temporarily_unavailable' },
      { status: 403 },
      { status: 429 },
      { status: 200 },
    ];
    for (const answer of answers) {
      idp.faults = { renewal: answer };
      const meanwhile = await refresh('good');

      assert.equal(meanwhile.status, 503, JSON.stringify(answer));
      assert.equal(meanwhile.body.code, 'identity_provider_away');
    }
    idp.faults = {};

    assert.equal((await refresh('good')).status, 200);
  });
});
