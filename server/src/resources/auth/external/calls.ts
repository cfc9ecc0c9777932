/**
 * Calls of the external provider: bounded, and reaching inner networks only at the host that the
 * operator named as issuer. The provider itself names its other endpoints, so these must be public
 * or in OUTBOUND_ALLOW, as the URLs of users.
 */
import { DomainError } from '../../../errors.ts';
import { CallFailed, openOutbound } from '../../../outbound/outbound.ts';

const bounds = { time_ms: 10_000, answer_bytes: 1024 * 1024 };

/** As openid-client and jose call `fetch`. Redirects are not followed. */
export type ProviderFetch = (
  url: string,
  request: { method: string; headers: Headers | Record<string, string>; body?: unknown },
) => Promise<Response>;

/** @returns a `fetch` that throws CallFailed without an answer, and for one of a server error. */
export function providerFetch(issuer: string, allow: readonly string[]): ProviderFetch {
  const { hostname, port, protocol } = new URL(issuer);
  const named = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const outbound = openOutbound([...allow, named]);
  return async (url, { method, headers, body }) => {
    const answer = await outbound.fetch(
      url,
      {
        method: method === 'POST' ? 'POST' : 'GET',
        headers: Object.fromEntries(new Headers(headers)),
        ...(body === undefined || body === null ? {} : { body: String(body) }),
      },
      bounds,
    );
    if (answer.status >= 500) throw new CallFailed(`${url} answered ${answer.status}.`);
    return answer;
  };
}

/** Whether an error, or what caused it, is a call without an answer. */
export const isAway = (error: unknown): boolean =>
  error instanceof CallFailed || (error instanceof Error && isAway(error.cause));

export const providerAway = (cause: unknown) =>
  new DomainError('unavailable', 'The identity provider does not answer. Try again in a moment.', {
    code: 'identity_provider_away',
    cause,
  });
