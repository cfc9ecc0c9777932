/** Signs in as a browser does: pages, cookies, redirects, code and PKCE, without shortcuts. */
import { createHash, randomBytes } from 'node:crypto';
import { setPassword } from '../src/resources/auth/passwords.ts';
import { createUser } from '../src/resources/users/users.ts';
import type { TestServer } from './server.ts';

export type SignedIn = {
  access_token: string;
  id_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
  browser: Browser;
};

/** Signs in at the server's embedded provider. @throws Error if the sign-in is refused. */
export async function signIn(
  server: Pick<TestServer, 'url'>,
  email: string,
  password: string,
  browser = new Browser(server.url),
): Promise<SignedIn> {
  const request = authorizationRequest(server.url);
  const page = await browser.follow(request.url);
  const answer = await browser.submit(page.url, { email, password });
  const code = codeOf(answer, server.url);
  if (!code) throw new Error(`The sign-in was refused with ${answer.status}: ${answer.text}`);
  return { ...(await redeem(server.url, code, request.verifier)).body, browser };
}

/** Signs out as the dashboard does. @returns the final page. */
export async function signOut(server: Pick<TestServer, 'url'>, { browser, id_token }: SignedIn) {
  const url = new URL(`${server.url}/realms/cogworks/session/end`);
  url.searchParams.set('id_token_hint', id_token);
  url.searchParams.set('post_logout_redirect_uri', `${server.url}/app/`);
  const { text } = await browser.follow(url.href);
  const action = /action="([^"]+)"/.exec(text)?.[1] ?? '';
  const inputs = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)"/g)];
  return browser.submit(action, Object.fromEntries(inputs.map(([, name, value]) => [name, value])));
}

/** A user of the embedded provider with a password. */
export async function userWithPassword(
  server: TestServer,
  tenantId: number,
  { password = 'correct horse battery', must_change = false, email = '' } = {},
) {
  const address = email || `person-${randomBytes(6).toString('hex')}@example.test`;
  const { db } = server.services;
  const user = await createUser(db, { tenant_id: tenantId, email: address, role: 'member' });
  await setPassword(db, user.id, password, { must_change });
  return { ...user, password };
}

/** The authorization request of a client, and the secret half of its PKCE pair. */
export function authorizationRequest(base: string, changes: Record<string, string | null> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL(`${base}/realms/cogworks/auth`);
  const params = {
    client_id: 'dashboard',
    response_type: 'code',
    redirect_uri: `${base}/app/callback`,
    scope: 'openid profile email offline_access api',
    state: 'the-state',
    nonce: 'the-nonce',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  for (const [name, value] of Object.entries(params)) {
    if (value !== null) url.searchParams.set(name, value);
  }
  return { url: url.href, verifier };
}

/** Exchanges a code, or anything else given in `changes`, at the token endpoint. */
export async function redeem(
  base: string,
  code: string,
  verifier: string,
  changes: Record<string, string> = {},
  origin = base,
) {
  const response = await fetch(`${base}/realms/cogworks/token`, {
    method: 'POST',
    // As every browser does.
    headers: { origin },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'dashboard',
      redirect_uri: `${base}/app/callback`,
      code,
      code_verifier: verifier,
      ...changes,
    }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: what the provider really sent
  return { status: response.status, body: (await response.json()) as any };
}

/** The code in the redirect URL, if there is one. */
export function codeOf(page: Page, base: string): string | undefined {
  if (!page.url.startsWith(`${base}/app/callback?`)) return undefined;
  return new URL(page.url).searchParams.get('code') ?? undefined;
}

export type Page = { status: number; url: string; text: string; headers: Headers };

/** Stores cookies by name and path and follows redirects, up to the client's own address. */
export class Browser {
  readonly cookies = new Map<string, { value: string; path: string }>();
  readonly #base: string;
  readonly #headers: Record<string, string>;

  /** `headers`: sent with every request, as a proxy in front would. */
  constructor(base: string, headers: Record<string, string> = {}) {
    this.#base = base;
    this.#headers = headers;
  }

  follow(url: string): Promise<Page> {
    return this.#go(url, {});
  }

  submit(url: string, form: Record<string, string>): Promise<Page> {
    return this.#go(url, { method: 'POST', body: new URLSearchParams(form) });
  }

  async #go(url: string, init: RequestInit): Promise<Page> {
    if (url.startsWith(`${this.#base}/app/`)) {
      return { status: 200, url, text: '', headers: new Headers() };
    }
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        cookie: this.cookiesFor(url),
        accept: 'text/html',
        ...this.#headers,
      },
    });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const location = response.headers.get('location');
    if (location) return this.#go(new URL(location, url).href, {});
    return { status: response.status, url, text: await response.text(), headers: response.headers };
  }

  /** The cookie header for a request to that URL. */
  cookiesFor(url: string): string {
    const path = new URL(url).pathname;
    return [...this.cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([key, cookie]) => `${key.split('|')[0]}=${cookie.value}`)
      .join('; ');
  }

  #keep(header: string) {
    const [pair = '', ...attributes] = header.split('; ');
    const split = pair.indexOf('=');
    const name = pair.slice(0, split);
    const path = attributes.find((part) => part.startsWith('path='))?.slice(5) ?? '/';
    const isGone = attributes.some((part) => part.startsWith('expires=Thu, 01 Jan 1970'));
    const key = `${name}|${path}`;
    if (isGone) this.cookies.delete(key);
    else this.cookies.set(key, { value: pair.slice(split + 1), path });
  }
}
