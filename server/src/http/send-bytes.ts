/** Answers stored bytes with RFC 9110 range and conditional requests. */
import type { Writable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import { DamagedObject } from '../storage/damage.ts';
import type { ByteRange } from '../storage/storage.ts';

export type Bytes = {
  size_bytes: number;
  /** Without quotes; strong, so equal tags mean equal bytes. */
  etag: string;
  /** Copies all bytes or a range to the stream from `begin`; see `Storage.copyTo`. */
  copyTo: (range: ByteRange | undefined, begin: () => Writable) => Promise<void>;
};

/**
 * Answers 200, 206, 304 or 416. `HEAD` gets the headers of a whole `GET`.
 *
 * @throws DomainError `range_not_satisfiable`, and errors from opening the bytes.
 */
export async function sendBytes(
  { metrics }: { metrics: Metrics },
  request: FastifyRequest,
  reply: FastifyReply,
  { size_bytes, etag, copyTo }: Bytes,
): Promise<void> {
  const { 'if-none-match': ifNoneMatch } = request.headers;
  reply.header('etag', `"${etag}"`).header('accept-ranges', 'bytes');
  if (ifNoneMatch !== undefined && matchesAny(ifNoneMatch, etag)) {
    reply.code(304).removeHeader('content-type').send();
    return;
  }

  const range = request.method === 'GET' ? wantedRange(request, size_bytes, etag) : undefined;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size_bytes}`);
    throw new DomainError('range_not_satisfiable', `The file has only ${size_bytes} bytes.`);
  }
  if (range) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size_bytes}`);
  }
  reply.header('content-length', range ? range.end - range.start + 1 : size_bytes);
  // Until the bytes are open an error is answered normally. After that the only way to signal one
  // is to close the connection early, so that a partial body never looks complete.
  try {
    await copyTo(request.method === 'HEAD' ? nothing : range, () => hijack(reply));
    reply.raw.end();
  } catch (error) {
    if (error instanceof DamagedObject) {
      metrics.damagedObjects.inc({ damage: error.damage });
      tellDamage(request, error);
    }
    if (!reply.sent) throw clearOf(reply, error);
    if (!reply.raw.destroyed && !(error instanceof DamagedObject))
      request.log.error({ err: error }, 'sending bytes failed');
    reply.raw.destroy();
  }
}

/** Opens the bytes as for a `GET`, and sends none. */
const nothing: ByteRange = { start: 0, end: -1 };

/** The client cannot fix this; an operator has to know. See docs/operations.md. */
function tellDamage({ log }: FastifyRequest, error: DamagedObject) {
  const { key, damage, size_bytes, found_bytes, error_id } = error;
  log.error({ key, damage, size_bytes, found_bytes, error_id }, 'a stored object is damaged');
}

/** Bypasses Fastify's response handling: its streams are half as fast as `copyTo`. */
function hijack(reply: FastifyReply) {
  reply.hijack();
  // A body longer or shorter than announced would corrupt the next answer on the connection.
  reply.raw.strictContentLength = true;
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
  return reply.raw;
}

function clearOf(reply: FastifyReply, error: unknown) {
  if (error instanceof DamagedObject) reply.header('connection', 'close');
  for (const name of ['etag', 'content-length', 'content-range', 'content-disposition']) {
    reply.removeHeader(name);
  }
  return error;
}

/** Weak comparison (RFC 9110, section 13.1.2): `*`, or a list of tags. */
function matchesAny(header: string, etag: string) {
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${etag}"`);
}

/**
 * The single requested range. A header that is malformed, requests several ranges, or has an
 * `If-Range` for other bytes (strong comparison) is ignored: the whole content is a correct answer.
 */
function wantedRange(
  { headers }: FastifyRequest,
  size: number,
  etag: string,
): ByteRange | 'unsatisfiable' | undefined {
  const match = headers.range?.match(/^bytes=(\d*)-(\d*)$/i);
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== `"${etag}"`) return undefined;

  const [first = '', last = ''] = match.slice(1);
  if (first === '') {
    const suffix = Math.min(Number(last), size);
    return suffix === 0 ? 'unsatisfiable' : { start: size - suffix, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
