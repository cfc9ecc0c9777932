import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CryptoKey,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { cast, client } from '../../../test/cast.ts';
import { startServer } from '../../../test/server.ts';
import { signIn, userWithPassword } from '../../../test/sign-in.ts';

describe('an access token', () => {
  it('is refused with any of the known tricks', async () => {
    const { server, owner } = await cast();
    const key = server.tokens.privateJwks[0] ?? {};
    const { d: _, ...publicJwk } = key;
    const publicPem = await exportSPKI((await importJWK(publicJwk, 'ES256')) as CryptoKey);
    const foreign = (await generateKeyPair('ES256')).privateKey;
    const own = await importJWK(key, 'ES256');
    const now = Math.floor(Date.now() / 1000);
    const good = {
      iss: server.tokens.issuer(),
      aud: 'cogworks',
      sub: owner.user.subject,
      uid: owner.user.id,
      scope: 'api',
      iat: now,
      exp: now + 600,
    };
    const header = { alg: 'ES256', typ: 'at+jwt', kid: key.kid as string };
    const sign = (claims: JWTPayload, changes = {}, by: Parameters<SignJWT['sign']>[0] = own) =>
      new SignJWT(claims).setProtectedHeader({ ...header, ...changes }).sign(by);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const valid = await sign(good);
    const [head = '', , signature = ''] = valid.split('.');

    const forged: Record<string, string> = {
      'alg none': `${part({ ...header, alg: 'none' })}.${part(good)}.`,
      'HS256 with the public key': await sign(good, { alg: 'HS256' }, Buffer.from(publicPem)),
      'an id token': await sign(good, { typ: 'JWT' }),
      'another audience': await sign({ ...good, aud: 'dashboard' }),
      'another issuer': await sign({ ...good, iss: 'http://evil.test/realms/cogworks' }),
      'an issuer list': await sign({ ...good, iss: [good.iss] as unknown as string }),
      expired: await sign({ ...good, exp: now - 1 }),
      'no end': await sign({ ...good, exp: undefined as unknown as number }),
      'not yet valid': await sign({ ...good, nbf: now + 600 }),
      'another key': await sign(good, {}, foreign),
      'an unknown kid': await sign(good, { kid: '../../etc/passwd' }),
      'a key in its header': await sign(good, { jwk: publicJwk }, foreign),
      'a changed claim': `${head}.${part({ ...good, uid: owner.user.id + 1 })}.${signature}`,
      'no user': await sign({ ...good, uid: undefined }),
      'a user that is text': await sign({ ...good, uid: `${owner.user.id}` }),
      'no signature': valid.split('.').slice(0, 2).join('.'),
      'a padded signature': `${valid}=`,
      'a space inside': valid.replace('.', '. '),
      'a letter that is not of base64url': `${valid.slice(0, -1)}!`,
      'far too long': `${valid}${'A'.repeat(8000)}`,
      'an API key': `sk_${'a'.repeat(8)}_${'a'.repeat(43)}_${'a'.repeat(6)}`,
    };

    assert.equal((await client(server.url, valid).get('/me')).status, 200);
    for (const [trick, token] of Object.entries(forged)) {
      const { status, body } = await client(server.url, token).get('/me');
      assert.equal(status, 401, trick);
      assert.match(body.detail, /X-API-Key/, trick);
    }
  });

  it('of a real sign-in is not replaced by its id token', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);
    const { id_token } = await signIn(server, user.email, user.password);

    assert.equal((await client(server.url, id_token).get('/me')).status, 401);
  });

  it('of another installation is refused', async () => {
    const [{ owner }, { server: other }] = await Promise.all([cast(), cast(await startServer())]);

    assert.equal((await client(other.url, owner.token).get('/me')).status, 401);
  });

  it('is looked at as a whole: one that was verified vouches for no other', async () => {
    const { server, owner } = await cast();
    assert.equal((await owner.get('/me')).status, 200);

    const changed = `${owner.token.slice(0, -4)}AAAA`;

    assert.equal((await client(server.url, changed).get('/me')).status, 401);
  });
});
