/**
 * One HTTP request on behalf of a user who must not reach this machine's own network. The addresses
 * of a name are checked in the look-up of the connection itself, and the address of the connection
 * once more, which prevents DNS rebinding. No proxy of the environment is used. The caller follows
 * redirects, each as a separate call. Node only.
 */
import { ADDRCONFIG } from 'node:dns';
import { lookup } from 'node:dns/promises';
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
  /** The addresses of a name; by default as the machine resolves it. */
  resolve?: (name: string) => Promise<readonly string[]>;
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
 * Certificate authorities of Node and of the machine, and those of NODE_EXTRA_CA_CERTS: an operator
 * may add that of a registry.
 */
const trusted = () =>
  (authorities ??= [
    ...new Set([
      ...rootCertificates,
      ...getCACertificates('system'),
      ...getCACertificates('extra'),
    ]),
  ]);

/** @returns the answer; the caller must read or destroy its body. */
export function guardedCall(url: URL, call: GuardedCall): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // A literal address is never looked up, so it is checked here.
  if (isIP(host) && !call.isAllowed(host)) return Promise.reject(new RefusedAddress(url.host));
  const options = {
    method: call.method,
    headers: { 'user-agent': 'cogworks', ...call.headers },
    signal: call.signal,
    lookup: guardedLookup(url.host, call),
    // Connections are not shared: each is made for an address checked for this call. Besides, only
    // the shared agent would use a proxy of the environment.
    agent: false as const,
    timeout: call.idle_ms ?? 60_000,
  };
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? tlsRequest(url, { ...options, ca: trusted() })
        : plainRequest(url, options);
    request.on('socket', (socket) => {
      // Before the listeners that send the request, which is written when the socket has connected.
      socket.prependOnceListener('connect', () => {
        if (call.isAllowed(socket.remoteAddress ?? '')) return;
        request.destroy(new RefusedAddress(url.host));
      });
    });
    request.on('timeout', () => request.destroy(new Error('it did not answer in time')));
    request.on('error', reject);
    request.on('response', resolve);
    // Also after an answer 101, which Node tells nobody of who does not ask for `upgrade`.
    request.on('close', () => reject(closedEarly()));
    request.end(call.body);
  });
}

const closedEarly = () =>
  Object.assign(new Error('it closed the connection without an answer'), { code: 'ECONNRESET' });

/** All addresses of a name must be allowed, because Node chooses which one to use. */
const guardedLookup =
  (
    host: string,
    { isAllowed, resolve = resolveByMachine }: Pick<GuardedCall, 'isAllowed' | 'resolve'>,
  ): LookupFunction =>
  (name, options, done) => {
    resolve(name).then(
      (addresses) => {
        const [first = ''] = addresses;
        if (first === '' || !addresses.every(isAllowed)) return done(new RefusedAddress(host), []);
        const all = addresses.map((address) => ({ address, family: isIP(address) }));
        return options.all ? done(null, all) : done(null, first, isIP(first));
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };

/** Also by its file of hosts. A look-up holds one of the four threads of the process. */
export async function resolveByMachine(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true, hints: ADDRCONFIG });
  return found.map(({ address }) => address);
}
