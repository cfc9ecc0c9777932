/**
 * The cookie for a browser that has signed in to an account. It grants no access: it only gives the
 * browser a separate budget of password guesses, see throttle.ts. Signed and bound to the account,
 * so that it can be neither forged nor used for another account.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Keys } from '../../keys/keys.ts';

const cookieName = 'cogworks_device';
const lifetime_s = 365 * 86_400;
/** Accounts remembered per browser; the least recently used is dropped. */
const mostAccounts = 4;

export type Devices = {
  /** An id of the browser, if it has signed in to the account before. */
  recognise(cookies: string | undefined, account: string): string | undefined;
  /** @returns the header that adds the account to those the browser is known for. */
  remember(cookies: string | undefined, account: string): string;
};

/** `issuer`: the URL of the sign-in pages; the cookie is sent only there. */
export function makeDevices(
  keys: Pick<Keys, 'derive'>,
  issuer: () => string,
  now: () => number = Date.now,
): Devices {
  const key = keys.derive('device-cookies');
  const sign = (account: string, nonce: string, ends: string) =>
    createHmac('sha256', key)
      .update([account.trim().toLowerCase(), nonce, ends].join('\n'))
      .digest('base64url')
      .slice(0, 24);
  const isOf = (account: string, token: string) => {
    const [nonce = '', ends = '', signature = ''] = token.split('.');
    // Compared as text: several texts decode to the same bytes, and each would count as another
    // device.
    const given = Buffer.from(signature);
    const right = Buffer.from(sign(account, nonce, ends));
    return given.length === right.length && timingSafeEqual(given, right);
  };
  const isLive = (token: string) => Number.parseInt(token.split('.')[1] ?? '', 36) > now() / 1000;

  return {
    recognise: (cookies, account) =>
      tokensIn(cookies).find((token) => isLive(token) && isOf(account, token)),
    remember: (cookies, account) => {
      const nonce = randomBytes(12).toString('base64url');
      const ends = Math.floor(now() / 1000 + lifetime_s).toString(36);
      const token = `${nonce}.${ends}.${sign(account, nonce, ends)}`;
      const others = tokensIn(cookies).filter((one) => isLive(one) && !isOf(account, one));
      const value = [token, ...others].slice(0, mostAccounts).join('~');
      const { pathname, protocol } = new URL(issuer());
      const secure = protocol === 'https:' ? '; secure' : '';
      return `${cookieName}=${value}; path=${pathname}; max-age=${lifetime_s}; samesite=lax${secure}; httponly`;
    },
  };
}

function tokensIn(cookies = ''): string[] {
  const [, value = ''] =
    new RegExp(`(?:^|; )${cookieName}=([\\w.~-]{1,1000})(?:;|$)`).exec(cookies) ?? [];
  return value.split('~').filter(Boolean).slice(0, mostAccounts);
}
