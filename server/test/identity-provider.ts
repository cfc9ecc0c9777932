/**
 * An external identity provider for tests, which can also do what a real one must not: sign with
 * another key, answer for another client, or not answer. What a real one does is tested with one
 * that is not ours (external/real-provider.test.ts).
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { atEndOfFile } from './end-of-file.ts';

export const clientId = 'cogworks';
export const clientSecret = 'known to both: 100 % &';

export type Faults = {
  /** Merged into the next ID token. */
  claims?: JWTPayload;
  /** Signs the next ID token with a key that is not published. */
  foreign_key?: boolean;
  /** Comes back with an error instead of a code. */
  error?: string;
  /** Comes back with another state than the given one. */
  state?: (given: string) => string;
  /** Answers the token request with this status. */
  token_status?: number;
  /** Answers refresh tokens so; without an error, with a page. */
  renewal?: { status: number; error?: string };
};

export type IdentityProvider = {
  url: string;
  /** The claims of whoever signs in next; without a subject, a new one. */
  person: JWTPayload;
  /** What the userinfo endpoint says beyond the subject. */
  userinfo: JWTPayload;
  faults: Faults;
  /** Merged into the discovery document. */
  metadata: Record<string, unknown>;
  /** Parameters of the authorization requests, in order. */
  requests: URLSearchParams[];
  /** Refresh tokens that it was asked to renew; it refuses all that are not `renewable`. */
  renewals: string[];
  renewable: string[];
  /** Whether it answers with 503. */
  is_away: boolean;
  /** Withdraws its key; tokens are signed with a new one. */
  rotate(): Promise<void>;
  /** An access token that it has issued to another client of its own. */
  accessToken(claims: JWTPayload): Promise<string>;
};

type Key = { kid: string; private_key: CryptoKey; jwk: object };
type Code = { person: JWTPayload; nonce: string; challenge: string; redirect_uri: string };

const closing: (() => void)[] = [];
atEndOfFile(() => {
  for (const close of closing.splice(0)) close();
});

export async function identityProvider(): Promise<IdentityProvider> {
  const codes = new Map<string, Code>();
  let key = await newKey();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.writeHead(400).end(error.message));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const signed = (claims: JWTPayload, typ: string, by: Key) =>
    new SignJWT({ iss: url, exp: Math.floor(Date.now() / 1000) + 600, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ, kid: by.kid })
      .setIssuedAt()
      .sign(by.private_key);

  const provider: IdentityProvider = {
    url,
    person: {},
    userinfo: {},
    faults: {},
    metadata: {},
    requests: [],
    renewals: [],
    renewable: [],
    is_away: false,
    rotate: async () => {
      key = await newKey();
    },
    accessToken: (claims) => signed({ aud: clientId, scope: 'openid', ...claims }, 'at+jwt', key),
  };

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    if (provider.is_away) return response.writeHead(503).end();
    if (pathname === '/.well-known/openid-configuration') return json(response, metadata());
    if (pathname === '/keys') return json(response, { keys: [key.jwk] });
    if (pathname === '/authorize') return authorize(searchParams, response);
    if (pathname === '/token') return token(request, response);
    if (pathname === '/userinfo') {
      const [, payload = ''] = (request.headers.authorization ?? '').split('.');
      const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return json(response, { sub, ...provider.userinfo });
    }
    return response.writeHead(404).end();
  }

  const metadata = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    userinfo_endpoint: `${url}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
    ...provider.metadata,
  });

  function authorize(given: URLSearchParams, response: ServerResponse) {
    provider.requests.push(given);
    const back = new URL(given.get('redirect_uri') ?? '');
    const state = given.get('state') ?? '';
    back.searchParams.set('state', provider.faults.state?.(state) ?? state);
    back.searchParams.set('iss', url);
    if (provider.faults.error) {
      back.searchParams.set('error', provider.faults.error);
    } else {
      const code = randomUUID();
      codes.set(code, {
        person: { sub: randomUUID(), ...provider.person },
        nonce: given.get('nonce') ?? '',
        challenge: given.get('code_challenge') ?? '',
        redirect_uri: given.get('redirect_uri') ?? '',
      });
      back.searchParams.set('code', code);
    }
    return response.writeHead(302, { location: back.href }).end();
  }

  async function token(request: IncomingMessage, response: ServerResponse) {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const form = new URLSearchParams(Buffer.concat(parts).toString());
    if (form.get('grant_type') === 'refresh_token') return renew(form, response);
    if (provider.faults.token_status) return response.writeHead(provider.faults.token_status).end();
    const credentials = [clientId, clientSecret].map((one) =>
      new URLSearchParams({ one }).toString().slice(4),
    );
    const basic = `Basic ${Buffer.from(credentials.join(':')).toString('base64')}`;
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    const isRight =
      request.headers.authorization === basic &&
      code?.redirect_uri === form.get('redirect_uri') &&
      code?.challenge === createHash('sha256').update(verifier).digest('base64url');
    if (!isRight) return json(response, { error: 'invalid_grant' }, 400);
    const { person, nonce } = code;
    const { claims, foreign_key } = provider.faults;
    const by = foreign_key ? { ...(await newKey()), kid: key.kid } : key;
    return json(response, {
      access_token: await signed({ aud: 'userinfo', sub: person.sub as string }, 'at+jwt', key),
      id_token: await signed({ aud: clientId, nonce, ...person, ...claims }, 'JWT', by),
      token_type: 'Bearer',
      expires_in: 600,
    });
  }

  async function renew(form: URLSearchParams, response: ServerResponse) {
    const token = form.get('refresh_token') ?? '';
    provider.renewals.push(token);
    const { renewal } = provider.faults;
    if (renewal?.error) return json(response, { error: renewal.error }, renewal.status);
    if (renewal)
      return response.writeHead(renewal.status, { 'content-type': 'text/html' }).end('<p>Later');
    if (!provider.renewable.includes(token)) return json(response, { error: 'invalid_grant' }, 400);
    const access_token = await provider.accessToken({ sub: `of-${token}` });
    return json(response, { access_token, token_type: 'Bearer', expires_in: 600 });
  }

  return provider;
}

async function newKey(): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const kid = randomUUID();
  return {
    kid,
    private_key: privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' },
  };
}

function json(response: ServerResponse, body: unknown, status = 200) {
  return response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify(body));
}
