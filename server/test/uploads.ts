/** Uploads in several steps, as a client makes them. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { Answer, Client } from './cast.ts';

/** The smallest chunk that may be asked for. */
export const chunk = 5 * 1024 ** 2;

export type Bytes = Uint8Array<ArrayBuffer>;
export type Sent = { part_number: number; etag: string };

// biome-ignore lint/suspicious/noExplicitAny: what the server really sent, unknown to types by intent
export type Upload = any;

export const sha256 = (bytes: Bytes) => createHash('sha256').update(bytes).digest('hex');

/** Bytes for some full parts and a rest. */
export const bytesFor = (parts: number, rest: number): Bytes =>
  new Uint8Array(randomBytes(parts * chunk + rest));

/** Announces a file of these bytes. */
export async function initiated(by: Client, bytes: Bytes, fields: object = {}): Promise<Upload> {
  const { status, body } = await by.post('/cogs/uploads/initiate', {
    ...('cog_id' in fields ? {} : { name: 'large.bin' }),
    ...{ file_size: bytes.length, chunk_size: chunk },
    ...fields,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

export async function putPart(
  url: string,
  bytes: Bytes,
): Promise<{ status: number; etag: string }> {
  const answer = await fetch(url, { method: 'PUT', body: bytes });
  await answer.text();
  return { status: answer.status, etag: answer.headers.get('etag') ?? '' };
}

/** Sends all parts of these bytes. */
export async function sent(upload: Upload, bytes: Bytes): Promise<Sent[]> {
  const parts: Sent[] = [];
  for (const { part_number, url, size_bytes } of upload.parts) {
    const at = (part_number - 1) * upload.chunk_size;
    const { status, etag } = await putPart(url, bytes.subarray(at, at + size_bytes));
    assert.equal(status, 200);
    parts.push({ part_number, etag });
  }
  return parts;
}

/** The body of a confirmation. */
export const confirmation = (
  { upload_id, storage_upload_id }: Upload,
  file_size: number,
  parts_json: unknown,
) => ({ upload_id, storage_upload_id, file_size, parts_json });

export const confirm = (
  by: Client,
  upload: Upload,
  file_size: number,
  parts: unknown,
  more: object = {},
): Promise<Answer> =>
  by.post('/cogs/confirm-upload', { ...confirmation(upload, file_size, parts), ...more });

/** A whole upload. @returns the answer to its confirmation. */
export async function uploaded(by: Client, bytes: Bytes, fields: object = {}): Promise<Answer> {
  const upload = await initiated(by, bytes, fields);
  return confirm(by, upload, bytes.length, await sent(upload, bytes));
}

export async function download(by: Client, id: number, range?: string): Promise<Bytes> {
  const answer = await by.fetch(`/cogs/${id}/download`, range ? { headers: { range } } : {});
  assert.equal(answer.status, range ? 206 : 200);
  return new Uint8Array(await answer.arrayBuffer());
}
