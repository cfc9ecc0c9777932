/**
 * One HTTP request on behalf of a user who must not reach this machine's own network. The address
 * is checked when the connection is made, which prevents DNS rebinding. The caller follows
 * redirects, each as a separate call. Node only.
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
  /** Whether this address may be called. */
  isAllowed(address: string): boolean;
  signal: AbortSignal;
  /** The call fails after this long without a byte. */
  idle_ms?: number;
};

/** The address may not be called; nothing was sent. */
export class RefusedAddress extends Error {
  readonly host: string;
  constructor(host: string) {
    super(`${host} leads to an address that may not be called`);
    this.host = host;
  }
}

let authorities: string[] | undefined;
/**
 * Certificate authorities of Node and of the machine, where an operator may add a registry's CA.
 */
const trusted = () =>
  (authorities ??= [...new Set([...rootCertificates, ...getCACertificates('system')])]);

/** @returns the answer; the caller must read or destroy its body. */
export function guardedCall(url: URL, call: GuardedCall): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // A literal address is never looked up, so it is checked here.
  if (isIP(host) && !call.isAllowed(host)) return Promise.reject(new RefusedAddress(url.host));
  const options = {
    method: call.method,
    headers: { 'user-agent': 'cogworks', ...call.headers },
    signal: call.signal,
    lookup: guardedLookup(url.host, call.isAllowed),
    // Connections are not shared: each is made for an address checked for this call.
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

/** All addresses of a name must be allowed, because Node chooses which one to use. */
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
