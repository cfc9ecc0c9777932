/**
 * One HTTP request on behalf of somebody who must not reach this machine's own network. The address is
 * checked when the connection is made, so a name that resolves differently the second time gains
 * nothing. The caller follows redirects, each as a call of its own. Node only.
 */
import { lookup } from 'node:dns';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { getCACertificates, rootCertificates } from 'node:tls';

export type GuardedCall = {
  method: 'GET' | 'HEAD' | 'POST';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Whether this address may be called. Without it none may. */
  isAllowed(address: string): boolean;
  signal: AbortSignal;
  /** Without a byte for so long, the call fails. */
  idle_ms?: number;
};

/** The address is not one that may be called; nothing was sent. */
export class RefusedAddress extends Error {
  readonly host: string;
  constructor(host: string) {
    super(`${host} leads to an address that may not be called`);
    this.host = host;
  }
}

let authorities: string[] | undefined;
/** Certificate authorities of Node and of the machine, where an operator adds a registry's own. */
const trusted = () =>
  (authorities ??= [...new Set([...rootCertificates, ...getCACertificates('system')])]);

/** @returns the answer; its body is still to be read, or to be destroyed. */
export function guardedCall(url: URL, call: GuardedCall): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // An address in place of a name is never looked up.
  if (isIP(host) && !call.isAllowed(host)) return Promise.reject(new RefusedAddress(url.host));
  const options = {
    method: call.method,
    headers: { 'user-agent': 'cogworks', ...call.headers },
    signal: call.signal,
    lookup: guardedLookup(url.host, call.isAllowed),
    // No connection is shared: each is made for an address that was checked for this call.
    agent: false as const,
    timeout: call.idle_ms ?? 60_000,
  };
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? tlsRequest(url, { ...options, ca: trusted() })
        : plainRequest(url, options);
    request.on('timeout', () => request.destroy(new Error('it did not answer in time')));
    request.on('error', reject);
    request.on('response', resolve);
    request.end(call.body);
  });
}

/** All addresses of a name have to be allowed, because Node chooses which of them it connects to. */
const guardedLookup =
  (host: string, isAllowed: (address: string) => boolean): LookupFunction =>
  (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
        return done(new RefusedAddress(host), []);
      }
      const [first] = addresses;
      return options.all ? done(null, addresses) : done(null, first?.address ?? '', first?.family);
    });
  };
