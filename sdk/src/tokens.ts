/** A source of access tokens: exchanges an API key, once an hour. */
import { createClient, type TokenSource } from './client.ts';

/** Renewed this long before it expires, to allow for the transmission time. */
const margin_ms = 60_000;

/**
 * @param apiKey begins with `sk_`; it is sent to the exchange only.
 * @returns a source for `createClient`; concurrent requests share one exchange.
 */
export function exchangeApiKey(
  baseUrl: string,
  apiKey: string,
  options: { fetch?: typeof fetch; now?: () => number } = {},
): TokenSource {
  const now = options.now ?? Date.now;
  const client = createClient({ baseUrl, ...(options.fetch ? { fetch: options.fetch } : {}) });
  let current: { token: string; ends_ms: number } | undefined;
  let renewal: Promise<string> | undefined;

  const renew = async () => {
    // The first time, a missing server is told at once; later, work is under way.
    const isRepeatable = current !== undefined;
    const body = await client.exchangeApiKey({ body: { api_key: apiKey }, isRepeatable });
    current = { token: body.access_token, ends_ms: now() + body.expires_in * 1000 };
    return body.access_token;
  };

  return async (refused) => {
    const isUsable = current && current.token !== refused && current.ends_ms - margin_ms > now();
    if (current && isUsable) return current.token;
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
}
