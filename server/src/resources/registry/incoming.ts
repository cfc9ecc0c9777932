/** What a request of the registry brings in its body. */
import type { IncomingMessage } from 'node:http';
import type { Incoming } from './blobs.ts';
import { tooLarge, uploadInvalid } from './faults.ts';
import type { Range } from './uploads.ts';

type Request = { raw: IncomingMessage };

/** The body as it comes. */
export function incomingOf({ raw }: Request): Incoming & { isEmpty: boolean } {
  const length = raw.headers['content-length'];
  const size = Number(length ?? 0);
  return {
    bytes: raw,
    expected_bytes: Number.isSafeInteger(size) && size > 0 ? size : 0,
    isEmpty: raw.headers['transfer-encoding'] === undefined && size === 0,
  };
}

/**
 * `Content-Range` as the distribution specification has it: without a unit and a total.
 *
 * @throws DomainError if it is something else.
 */
export function rangeOf({ raw }: Request): Range | undefined {
  const { 'content-range': text } = raw.headers;
  if (text === undefined) return undefined;
  const [, start, end] = /^(?:bytes )?(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  const range = { start: Number(start), end: Number(end) };
  if (range.end >= range.start) return range;
  throw uploadInvalid('Content-Range is <first byte>-<last byte>.');
}

/** A small body. @throws DomainError `too_large` */
export async function wholeOf({ raw }: Request, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  const chunks: AsyncIterable<Buffer> = raw.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > most) throw tooLarge(most);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}
