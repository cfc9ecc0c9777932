/**
 * Calls of URLs that users name, which must not reach this machine's own network: only https, at
 * public addresses, besides what the operator allows (OUTBOUND_ALLOW). A name is looked up once,
 * all its addresses must be allowed, and the connection goes to one of them. Redirects are not
 * followed and no proxy of the environment is used.
 */

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { anyOf } from '@cogworks/sdk/any-of';
import { parseRange, reachOf } from '@cogworks/sdk/outbound/addresses';
import { type Allowed, isInRanges, isNamed } from '@cogworks/sdk/outbound/allowed';
import {
  type GuardedCall,
  guardedCall,
  RefusedAddress,
  resolveByMachine,
} from '@cogworks/sdk/outbound/guarded-call';
import { resolveByDns } from './public-names.ts';

export type Outbound = {
  /** Why this URL may not be called, in words. Its name is looked up only when it is called. */
  faultOf(url: string): string | undefined;
  /** @throws what `signal` aborts with before there is an answer; all else is a result. */
  post(url: string, message: Message, bounds: Bounds): Promise<Outcome>;
  /**
   * The whole answer, for what an operator has configured: never shown to the user of a URL.
   *
   * @throws CallFailed without an answer, or if it is longer than allowed.
   */
  fetch(url: string, request: WholeRequest, bounds: Omit<Bounds, 'signal'>): Promise<Response>;
};

type Message = { headers: Record<string, string>; body: string };
type WholeRequest = Pick<GuardedCall, 'method' | 'headers' | 'body'>;

/** A call without an answer; the message says why. */
export class CallFailed extends Error {}

type Bounds = {
  /** For look-up, connection, request and answer together. */
  time_ms: number;
  /** More of an answer is not read. */
  answer_bytes: number;
  signal: AbortSignal;
};

/** The body of an answer is nobody's business: it could be a page of an inner network. */
export type Outcome = { status: number; retry_after: string | undefined } | Failure;

type Failure = { failure: 'timeout' | 'unreachable' | 'refused_address'; error: string };

/** The addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** @param allow words of OUTBOUND_ALLOW: hosts, addresses, ranges. */
export function openOutbound(allow: readonly string[], resolve: Resolve = resolveByDns): Outbound {
  const allowed = allowedOf(allow);
  const faultOf = (text: string) => faultOfUrl(allowed, text);
  const guardOf = (url: URL): Call => {
    const isOurs = isNamed(allowed, url);
    return {
      // The operator named it, and may have meant a name that only this machine knows.
      resolve: isOurs ? resolveByMachine : resolve,
      isAllowed: (address) =>
        isOurs || isInRanges(allowed, address) || reachOf(address) === 'public',
    };
  };
  return {
    faultOf,
    post: async (text, message, bounds) => {
      const fault = faultOf(text);
      if (fault !== undefined) return { failure: 'refused_address', error: fault };
      const url = new URL(text);
      return send(url, message, bounds, guardOf(url));
    },
    fetch: async (text, request, bounds) => {
      const fault = faultOf(text);
      if (fault !== undefined) throw new CallFailed(fault);
      const url = new URL(text);
      return fetchWhole(url, request, bounds, guardOf(url));
    },
  };
}

function allowedOf(words: readonly string[]): Allowed {
  const ranges = words.flatMap((word) => parseRange(word) ?? []);
  const hosts = words.filter((word) => !parseRange(word)).map((word) => word.toLowerCase());
  return { ranges, hosts: new Set(hosts) };
}

function faultOfUrl(allowed: Allowed, text: string): string | undefined {
  if (!URL.canParse(text)) return 'Must be a URL such as https://example.com/hooks.';
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isAllowed = isNamed(allowed, url) || (isIP(host) > 0 && isInRanges(allowed, host));
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isAllowed)) {
    return 'Must begin with https://.';
  }
  if (url.username || url.password) return 'Must not have a user name or a password.';
  const isInner = isIP(host) ? reachOf(host) !== 'public' : /(^|\.)localhost\.?$/.test(host);
  if (isInner && !isAllowed) return 'Must be at a public address.';
  return undefined;
}

type Call = Pick<GuardedCall, 'isAllowed' | 'resolve'>;

async function send(
  url: URL,
  { headers, body }: Message,
  { time_ms, answer_bytes, signal }: Bounds,
  call: Call,
): Promise<Outcome> {
  const time = AbortSignal.timeout(time_ms);
  const until = anyOf(signal, time);
  try {
    const answer = await guardedCall(url, {
      ...call,
      method: 'POST',
      headers,
      body,
      signal: until,
    });
    const { statusCode: status = 0, headers: said } = answer;
    // Its status counts, whatever becomes of the rest. A receiver that is cut off while it still
    // writes may take that for a fault of its own, so some of it is read.
    await readSome(answer, answer_bytes).catch(() => {});
    return { status, retry_after: said['retry-after'] };
  } catch (error) {
    signal.throwIfAborted();
    if (time.aborted) {
      return { failure: 'timeout', error: notInTime(time_ms) };
    }
    return failureOf(error);
  }
}

const notInTime = (time_ms: number) => `There was no answer within ${time_ms / 1000} seconds.`;

async function fetchWhole(
  url: URL,
  request: WholeRequest,
  { time_ms, answer_bytes }: Omit<Bounds, 'signal'>,
  call: Call,
): Promise<Response> {
  const signal = AbortSignal.timeout(time_ms);
  try {
    const answer = await guardedCall(url, { ...call, ...request, signal });
    const body = await readWhole(answer, answer_bytes);
    const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(body.length > 0 ? body : null, { status: answer.statusCode ?? 0, headers });
  } catch (cause) {
    if (cause instanceof CallFailed) throw cause;
    const why = signal.aborted ? notInTime(time_ms) : failureOf(cause).error;
    throw new CallFailed(why, { cause });
  }
}

async function readWhole(answer: IncomingMessage, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) throw new CallFailed('The answer is too long.');
    parts.push(part);
  }
  return Uint8Array.from(Buffer.concat(parts));
}

async function readSome(answer: AsyncIterable<Buffer>, most: number): Promise<void> {
  let size = 0;
  for await (const part of answer) {
    size += part.length;
    if (size >= most) return;
  }
}

function failureOf(error: unknown): Failure {
  const { code = '', message, syscall = '' } = error as NodeJS.ErrnoException;
  // One text for both, which does not tell what names an inner network has.
  if (error instanceof RefusedAddress || /^(ENOTFOUND|ENODATA)$/.test(code)) {
    const failure = error instanceof RefusedAddress ? 'refused_address' : 'unreachable';
    return { failure, error: 'There is no public address of that name.' };
  }
  const unreachable = (text: string): Failure => ({ failure: 'unreachable', error: text });
  if (/^(query|getaddrinfo)/.test(syscall)) return unreachable('The name could not be resolved.');
  if (code === 'ECONNREFUSED') return unreachable('The connection was refused.');
  if (/^(ECONNRESET|EPIPE)$/.test(code)) return unreachable('The connection was closed.');
  if (/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/.test(code))
    return unreachable('The address cannot be reached.');
  if (code === 'ETIMEDOUT') return unreachable('The connection was not made in time.');
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code))
    return unreachable(`The certificate is not valid (${code}).`);
  if (/ERR_TLS|ERR_SSL|EPROTO/.test(code)) return unreachable('There is no TLS connection.');
  if (code.startsWith('HPE_')) return unreachable('The answer is not HTTP.');
  return unreachable(message.slice(0, 200) || 'The connection failed.');
}
