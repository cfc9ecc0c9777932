/**
 * Calls a registry with the tenant's credentials, and only addresses that registry-allow.ts
 * permits. A registry itself names the locations of its tokens and layers, and could name an
 * address that only the worker can reach.
 */
import type { IncomingMessage } from 'node:http';
import { type ImageReference, isLoopback } from '@cogworks/graph/image-reference';
import { guardedCall, RefusedAddress } from '@cogworks/sdk/outbound/guarded-call';
import { AttemptError } from '../attempt-error.ts';
import { mayCall, mayCallScheme, type RegistryAllow } from './registry-allow.ts';
import { notPulled, refused, unreachable } from './registry-errors.ts';
import type { RegistryAuth } from './types.ts';

const mostRedirects = 5;
const mostText = 4 * 1024 * 1024;

export type Registry = {
  /** `manifests/1.2` or `blobs/sha256:…` of the image. Any status; redirects are followed. */
  open(method: 'GET' | 'HEAD', path: string, accept?: string): Promise<IncomingMessage>;
};

/** Its calls reject with AttemptError. */
export function openRegistry(
  image: ImageReference,
  auth: RegistryAuth | null,
  allow: RegistryAllow,
  signal: AbortSignal,
): Registry {
  const host = image.registry === 'docker.io' ? 'registry-1.docker.io' : image.registry;
  let scheme = isLoopback(host) ? 'http' : 'https';
  let authorization: string | undefined;

  const send = (url: URL, method: 'GET' | 'HEAD', headers: Record<string, string>) => {
    if (!mayCallScheme(allow, host, url)) throw new RefusedAddress(url.host);
    const isAllowed = (address: string) => mayCall(allow, host, url, address);
    return guardedCall(url, { method, headers, signal, isAllowed });
  };

  const ask = async (method: 'GET' | 'HEAD', path: string, accept?: string) => {
    const own = new URL(`${scheme}://${host}/v2/${image.repository}/${path}`);
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
    throw notPulled(image, 'it redirects without end.');
  };

  const login = async (challenge: string) => {
    if (!/^bearer /i.test(challenge)) return auth ? basic(auth) : undefined;
    const said = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    );
    const realm = new URL(said.realm ?? '', `${scheme}://${host}/`);
    if (said.service) realm.searchParams.set('service', said.service);
    realm.searchParams.set('scope', `repository:${image.repository}:pull`);
    const answer = await send(realm, 'GET', auth ? { authorization: basic(auth) } : {});
    if (answer.statusCode === 401 || answer.statusCode === 403) {
      answer.destroy();
      throw refused(image, auth);
    }
    // Redirects are not followed: they would take the credentials to another host.
    const { token, access_token } = JSON.parse(await readText(answer)) as Record<string, unknown>;
    const bearer = token ?? access_token;
    return typeof bearer === 'string' ? `Bearer ${bearer}` : undefined;
  };

  const open: Registry['open'] = async (method, path, accept) => {
    const first = await ask(method, path, accept);
    const challenge = first.headers['www-authenticate'] ?? '';
    if (first.statusCode !== 401 || challenge === '') return first;
    first.destroy();
    authorization = await login(challenge);
    return ask(method, path, accept);
  };

  return {
    open: async (method, path, accept) => {
      try {
        return await open(method, path, accept).catch((error: unknown) => {
          // A registry on loopback may use plain HTTP or HTTPS.
          if (scheme !== 'http' || !isNotHttp(error)) throw error;
          scheme = 'https';
          return open(method, path, accept);
        });
      } catch (error) {
        signal.throwIfAborted();
        throw problemOf(image, error);
      }
    },
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

function problemOf(image: ImageReference, error: unknown): Error {
  if (error instanceof AttemptError) return error;
  if (error instanceof RefusedAddress) {
    return notPulled(
      image,
      `${error.host} is not called by this worker: it is an internal address, or not https. Its operator can allow it by REGISTRY_ALLOW.`,
    );
  }
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (/^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH)$/.test(code))
    return unreachable(image, 'does not answer');
  if (code === 'ENOTFOUND')
    return unreachable(image, 'is not known: there is no host of that name');
  if (/TIMEDOUT|EAI_AGAIN/.test(code) || /in time/.test(message))
    return unreachable(image, 'did not answer in time');
  if (/CERT|SELF_SIGNED|ERR_TLS|ERR_SSL|EPROTO/.test(code))
    return unreachable(image, 'shows a certificate that the worker does not trust');
  return notPulled(image, `${message.slice(0, 200)}.`);
}
