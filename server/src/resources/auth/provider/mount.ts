/** Passes requests to the embedded provider, from browsers and from our own code. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type Provider from 'oidc-provider';
import { addressHeader, providerPath } from './provider.ts';

type OriginalRequest = IncomingMessage & { originalUrl?: string };

/**
 * Presents the request to the provider as if sent directly to the public URL: without our prefix,
 * and with that URL's host and protocol, whatever a proxy or a forged `Host` says.
 *
 * @param address the client's, as our own rules see it (TRUST_PROXY).
 */
export function enterProvider(provider: Provider, raw: IncomingMessage, address = ''): void {
  const issuer = new URL(provider.issuer);
  const path = (raw.url ?? '/').slice(providerPath.length) || '/';
  const inside = path.startsWith('/auth?') ? withOfflineConsent(path) : path;
  raw.url = inside;
  (raw as OriginalRequest).originalUrl = `${issuer.pathname}${inside}`;
  raw.headers.host = issuer.host;
  raw.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  // Not X-Forwarded-For: our own rules still read that, also after this.
  raw.headers[addressHeader] = address;
  delete raw.headers['x-forwarded-host'];
}

/**
 * OpenID Connect Core, section 11, ignores `offline_access` without `prompt=consent`. First-party
 * clients always have consent, so it is added here.
 */
function withOfflineConsent(path: string) {
  const url = new URL(path, 'http://inside');
  const scopes = (url.searchParams.get('scope') ?? '').split(' ');
  const prompts = (url.searchParams.get('prompt') ?? '').split(' ').filter(Boolean);
  if (!scopes.includes('offline_access') || prompts.includes('none')) return path;
  if (prompts.includes('consent') || url.searchParams.getAll('prompt').length > 1) return path;
  url.searchParams.set('prompt', [...prompts, 'consent'].join(' '));
  return `${url.pathname}${url.search}`;
}

export type TokenAnswer = { status: number; body: Record<string, unknown> };

/**
 * Calls the token endpoint in the process: our public URL may not be reachable from here, and the
 * caller's rate limit is not charged twice.
 */
export async function askTokenEndpoint(
  provider: Provider,
  params: Record<string, string>,
): Promise<TokenAnswer> {
  const form = new URLSearchParams(params).toString();
  const request = new IncomingMessage(new Socket());
  request.method = 'POST';
  request.url = `${providerPath}/token`;
  request.headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(form)),
  };
  request.push(form);
  request.push(null);
  enterProvider(provider, request);

  const response = new ServerResponse(request);
  const answered = new Promise<string>((resolve) => {
    response.end = ((body: unknown) => {
      resolve(String(body));
      return response;
    }) as typeof response.end;
  });
  await provider.callback()(request, response);
  return { status: response.statusCode, body: JSON.parse(await answered) };
}
