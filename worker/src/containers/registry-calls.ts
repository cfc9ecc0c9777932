/**
 * Calls of one registry with one tenant's credentials, and only of addresses that registry-allow.ts
 * permits. A registry itself names the locations of its tokens and layers, and could name an address
 * that only this machine can reach.
 */
import type { IncomingMessage } from 'node:http';
import { type GuardedCall, guardedCall, RefusedAddress } from '@cogworks/sdk/outbound/guarded-call';
import { isPlain, mayCall, mayCallScheme, type RegistryAllow } from './registry-allow.ts';
import type { RegistryAuth } from './types.ts';

const mostRedirects = 5;
const mostText = 4 * 1024 * 1024;

/** The registry asks for credentials, and refuses these or their lack. */
export class CredentialsRefused extends Error {}

export type RegistryCalls = {
  /**
   * `''` for the registry itself, or a path below it. Any status; redirects are followed. Signs in
   * if the registry asks for that.
   *
   * @throws CredentialsRefused, RefusedAddress, or the error of the connection.
   */
  ask(method: 'GET' | 'HEAD', path: string, accept?: string): Promise<IncomingMessage>;
  /** Whether the registry has asked for credentials and got them. */
  hasSignedIn(): boolean;
};

/** How names are looked up: by default as the machine does it. */
export type Resolve = NonNullable<GuardedCall['resolve']>;

type Settings = {
  /** What a token is asked for, by its registry's words. */
  scope?: string;
  resolve?: Resolve;
};

export function registryCalls(
  registry: string,
  auth: RegistryAuth | null,
  allow: RegistryAllow,
  signal: AbortSignal,
  { scope, resolve }: Settings = {},
): RegistryCalls {
  const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
  let scheme = isPlain(allow, host) ? 'http' : 'https';
  let authorization: string | undefined;

  const send = (url: URL, method: 'GET' | 'HEAD', headers: Record<string, string>) => {
    if (!mayCallScheme(allow, host, url)) throw new RefusedAddress(url.host);
    const isAllowed = (address: string) => mayCall(allow, host, url, address);
    return guardedCall(url, { method, headers, signal, isAllowed, ...(resolve && { resolve }) });
  };

  const follow = async (method: 'GET' | 'HEAD', path: string, accept?: string) => {
    const own = new URL(`${scheme}://${host}/v2/${path}`);
    let url = own;
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const answer = await send(url, method, {
        ...(accept && { accept }),
        // Only for the registry itself, not for hosts it redirects to.
        ...(authorization && url.origin === own.origin && { authorization }),
      });
      const { location } = answer.headers;
      if (![301, 302, 303, 307, 308].includes(answer.statusCode ?? 0) || !location) return answer;
      answer.destroy();
      url = new URL(location, url);
    }
    throw new Error('it redirects without end');
  };

  const login = async (challenge: string) => {
    if (!/^bearer /i.test(challenge)) return auth ? basic(auth) : undefined;
    const said = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    );
    const realm = new URL(said.realm ?? '', `${scheme}://${host}/`);
    if (said.service) realm.searchParams.set('service', said.service);
    if (scope) realm.searchParams.set('scope', scope);
    const answer = await send(realm, 'GET', auth ? { authorization: basic(auth) } : {});
    if (answer.statusCode === 401 || answer.statusCode === 403) {
      answer.destroy();
      throw new CredentialsRefused();
    }
    // Going on without a token would look like a refusal of the credentials.
    if (answer.statusCode !== 200) {
      answer.destroy();
      throw new Error(`its token service answers with ${answer.statusCode}`);
    }
    // Redirects are not followed: they would take the credentials to another host.
    const { token, access_token } = JSON.parse(await readText(answer)) as Record<string, unknown>;
    const bearer = token ?? access_token;
    return typeof bearer === 'string' ? `Bearer ${bearer}` : undefined;
  };

  const ask: RegistryCalls['ask'] = async (method, path, accept) => {
    const first = await follow(method, path, accept);
    const challenge = first.headers['www-authenticate'] ?? '';
    if (first.statusCode !== 401 || challenge === '') return first;
    first.destroy();
    authorization = await login(challenge);
    return follow(method, path, accept);
  };

  return {
    hasSignedIn: () => authorization !== undefined,
    ask: (method, path, accept) =>
      ask(method, path, accept).catch((error: unknown) => {
        // One on loopback may use plain HTTP or HTTPS.
        if (scheme !== 'http' || !isNotHttp(error)) throw error;
        scheme = 'https';
        return ask(method, path, accept);
      }),
  };
}

const basic = ({ username, password }: RegistryAuth) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** @throws Error if it is longer than any manifest or token. */
export async function readText(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostText) throw new Error('its answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

const isNotHttp = (error: unknown) =>
  /^(HPE_|ECONNRESET|EPROTO)/.test(String((error as NodeJS.ErrnoException).code));

/** What kept a registry from answering, as far as it is known. */
export type RegistryTrouble =
  | 'refused_address'
  | 'no_answer'
  | 'no_such_host'
  | 'not_in_time'
  | 'no_tls'
  | 'untrusted_certificate';

/** @returns undefined for an answer that is not one of a registry. */
export function troubleOf(error: unknown): RegistryTrouble | undefined {
  if (error instanceof RefusedAddress) return 'refused_address';
  const { code = '', message, syscall = '' } = error as NodeJS.ErrnoException;
  if (/^(ENOTFOUND|ENODATA)$/.test(code)) return 'no_such_host';
  // Its name server is away or fails, which passes.
  if (/^(query|getaddrinfo)/.test(syscall)) return 'not_in_time';
  if (/^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH)$/.test(code)) return 'no_answer';
  if (code.includes('TIMEDOUT') || /in time/.test(message)) return 'not_in_time';
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(code)) return 'untrusted_certificate';
  if (/ERR_TLS|ERR_SSL|EPROTO/.test(code)) return 'no_tls';
  return undefined;
}
