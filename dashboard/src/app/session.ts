/**
 * The signed-in session of this tab: authorization-code flow with PKCE, renewal, sign-out. The
 * access token is in memory, the refresh token in the tab's session storage.
 */
import type { TokenSource } from '@cogworks/sdk/client';
import type { SignInConfig } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { publicApi } from '../api.ts';
import { challengeOf, claimsOf, newAttempt, type SignInAttempt } from './pkce.ts';

/** An answer of the provider's token endpoint, or of the service's renewal. */
type TokenAnswer = {
  access_token: string;
  refresh_token?: string | undefined;
  id_token?: string | undefined;
  expires_in: number;
};

const keys = {
  attempt: 'cogworks.sign-in',
  refresh: 'cogworks.refresh-token',
  id: 'cogworks.id-token',
  tab: 'cogworks.tab',
} as const;

/** Renewed this long before it expires. */
const margin_ms = 60_000;
const callback = () => `${location.origin}/app/callback`;

let access: { token: string; ends_ms: number } | undefined;
let renewal: Promise<string> | undefined;
let leaving: Promise<never> | undefined;

export const session = {
  /** Resolves once the user is signed in; otherwise the browser goes to the sign-in page. */
  async require(returnTo: string): Promise<void> {
    await forgetIfCopied();
    if (!access && !sessionStorage.getItem(keys.refresh)) await signIn(returnTo);
    await session.token();
  },

  /** The current token for the API client, renewed when it expires or was refused. */
  token: (async (refused) => {
    const isUsable = access && access.token !== refused && access.ends_ms - margin_ms > Date.now();
    if (access && isUsable) return access.token;
    // Refresh tokens are used once: concurrent requests share one renewal.
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    return renewal;
  }) as TokenSource,

  /** Takes the provider's answer from the URL. @returns the user's destination. */
  async finishSignIn(search: URLSearchParams): Promise<string> {
    const attempt = takeAttempt();
    const refusal =
      search.get('error_description') ?? (search.has('error') ? t`The sign-in was refused.` : null);
    if (refusal) throw new Error(refusal);
    if (!attempt) throw notOurs();
    keep(await redeem(await publicApi.getSignInConfig(), attempt, search));
    return attempt.return_to;
  },

  /**
   * Leaves for the sign-in page.
   *
   * @param hint the address that is to sign in.
   * @param invitation the one whose link was opened.
   */
  signIn,

  /** Discards the tokens of this tab, whose session has ended. */
  forget,

  /** Ends the session here and at the provider. */
  async signOut(): Promise<never> {
    const config = await publicApi.getSignInConfig();
    const idToken = sessionStorage.getItem(keys.id);
    // What asks for a token until the page is left would lead to the sign-in page instead, where the
    // provider, whose session has not ended yet, signs in again.
    leaving = new Promise(() => {});
    forget();
    if (!config.end_session_endpoint) return leave(new URL('/app/', location.origin));
    const url = new URL(config.end_session_endpoint);
    url.searchParams.set('client_id', config.client_id);
    if (idToken) url.searchParams.set('id_token_hint', idToken);
    url.searchParams.set('post_logout_redirect_uri', `${location.origin}/app/`);
    return leave(url);
  },
};

async function signIn(returnTo: string, hint?: string, invitation?: number): Promise<never> {
  leaving ??= startSignIn(returnTo, hint, invitation);
  return leaving;
}

async function startSignIn(returnTo: string, hint?: string, invitation?: number): Promise<never> {
  try {
    const config = await publicApi.getSignInConfig();
    const attempt = newAttempt(returnTo);
    // Not by the cookie of somebody else who is signed in in this browser.
    const asked = hint ? { login_hint: hint, prompt: 'login' } : {};
    // The first start prints a link with the address, so that only the password is typed.
    const address = new URLSearchParams(returnTo.split('?')[1]).get('email');
    const known = address && !hint ? { login_hint: address } : {};
    const about = invitation === undefined ? undefined : { invitation: String(invitation) };
    const url = await authorizationUrl(config, attempt, { ...known, ...asked, ...about });
    sessionStorage.setItem(keys.attempt, JSON.stringify(attempt));
    return await leave(url);
  } catch (error) {
    leaving = undefined;
    throw error;
  }
}

/** Where the provider is asked to sign somebody in. */
export async function authorizationUrl(
  config: SignInConfig,
  attempt: SignInAttempt,
  more: Record<string, string>,
): Promise<URL> {
  const url = new URL(config.authorization_endpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: config.client_id,
    redirect_uri: callback(),
    scope: config.scopes.join(' '),
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await challengeOf(attempt.verifier),
    code_challenge_method: 'S256',
    ...more,
  }).toString();
  return url;
}

/** The tokens for what the provider has answered. @throws Error if it was not asked by us. */
export async function redeem(
  config: SignInConfig,
  attempt: SignInAttempt,
  search: URLSearchParams,
): Promise<TokenAnswer> {
  if (search.get('state') !== attempt.state) throw notOurs();
  const answer = await exchangeCode(config, search.get('code') ?? '', attempt.verifier);
  if (answer.id_token && claimsOf(answer.id_token).nonce !== attempt.nonce) {
    throw new Error(t`This answer belongs to another sign-in. Start again.`);
  }
  return answer;
}

const notOurs = () => new Error(t`This sign-in was started in another tab, or too long ago.`);

/** Never resolves: the page is being left. */
function leave(url: URL): Promise<never> {
  location.assign(url);
  return new Promise(() => {});
}

async function renew(): Promise<string> {
  const refreshToken = sessionStorage.getItem(keys.refresh);
  const here = location.pathname.replace(/^\/app/, '') + location.search;
  if (!refreshToken) return signIn(here);
  try {
    return keep(await publicApi.refreshToken({ body: { refresh_token: refreshToken } }));
  } catch (error) {
    // A refusal ends the session. After a network failure the next request tries again.
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error;
    forget();
    return signIn(here);
  }
}

/** Makes these the tokens of this tab. */
export function keep(answer: TokenAnswer): string {
  access = { token: answer.access_token, ends_ms: Date.now() + answer.expires_in * 1000 };
  if (answer.refresh_token) sessionStorage.setItem(keys.refresh, answer.refresh_token);
  if (answer.id_token) sessionStorage.setItem(keys.id, answer.id_token);
  return answer.access_token;
}

function forget() {
  access = undefined;
  for (const key of [keys.refresh, keys.id]) sessionStorage.removeItem(key);
}

function takeAttempt(): SignInAttempt | undefined {
  const text = sessionStorage.getItem(keys.attempt);
  sessionStorage.removeItem(keys.attempt);
  return text ? (JSON.parse(text) as SignInAttempt) : undefined;
}

async function exchangeCode(config: SignInConfig, code: string, code_verifier: string) {
  const response = await fetch(config.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: config.client_id,
      redirect_uri: callback(),
      code,
      code_verifier,
    }),
  });
  if (!response.ok) throw new Error(t`The sign-in could not be completed. Please try again.`);
  return (await response.json()) as TokenAnswer;
}

let checkedCopy: Promise<void> | undefined;

/**
 * Browsers copy session storage into a duplicated tab. Two tabs with one refresh token look like a
 * theft, and both would be signed out. So the copy discards the token and signs in again, without
 * interaction thanks to the provider's cookie. A living tab is recognized by the lock it holds.
 */
function forgetIfCopied(): Promise<void> {
  checkedCopy ??= (async () => {
    if (!navigator.locks) return;
    const tab = sessionStorage.getItem(keys.tab);
    if (tab !== null && (await holdLock(tab))) return;
    if (tab !== null) forget();
    const own = crypto.randomUUID();
    sessionStorage.setItem(keys.tab, own);
    await holdLock(own);
  })();
  return checkedCopy;
}

/** Holds the lock as long as the tab lives. @returns false if another tab holds it. */
function holdLock(tab: string): Promise<boolean> {
  return new Promise((resolve) => {
    void navigator.locks.request(`cogworks.tab.${tab}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise(() => {});
    });
  });
}
