/** Downloads files, and folders as ZIPs. A download that breaks off goes on where it was. */
import { type Client, queryString } from './client.ts';
import type { NewDownloadUrl } from './contract.gen.ts';
import { ApiError } from './errors.ts';
import { retryDelay } from './retry.ts';
import { unlessSilent } from './silence.ts';
import { newKey } from './upload-keys.ts';
import { wait } from './wait.ts';

export type DownloadOptions = {
  /** A file, or a folder as a ZIP. */
  id: number;
  /** Of a file; the current one unless given. */
  version?: number | undefined;
  /** What an earlier download left: it goes on after these bytes if the content is still the same. */
  have?: Have | undefined;
  signal?: AbortSignal | undefined;
};

export type Have = { etag: string; bytes: number };

export type Downloading = {
  size_bytes: number;
  /** Strong: equal tags mean equal bytes. Of a file, its SHA-256 in quotes. */
  etag: string;
  /** Where `bytes` begin: at 0, or after what was there already. */
  start: number;
  /** Ends when everything has arrived; an error if it cannot be continued. */
  bytes: AsyncIterable<Uint8Array>;
};

/** The content is no longer the one whose download began. */
export class ContentChanged extends Error {}

/** About a minute without network. */
const attempts = 10;

/**
 * Begins a download. After a break, the rest is requested as a range of the same bytes.
 *
 * @throws ApiError; TypeError if the network fails. Of `bytes`: also ContentChanged.
 */
export async function download(client: Client, options: DownloadOptions): Promise<Downloading> {
  const { have } = options;
  const first = await openAfter(client, options, have);
  const etag = first.headers.get('etag') ?? '';
  const length = Number(first.headers.get('content-length'));
  const isRest = first.status === 206;
  // All bytes are there, and only their end was not noticed.
  const isComplete = !isRest && have?.etag === etag && have.bytes === length;
  const start = have && (isRest || isComplete) ? have.bytes : 0;
  const size_bytes = isRest ? start + length : length;
  if (isComplete) await first.body?.cancel();
  const began = { first: isComplete ? undefined : first, etag, size_bytes, start };
  return { size_bytes, etag, start, bytes: allBytes(client, options, began) };
}

/** The rest as 206, or everything if the content is another or there is no rest. */
async function openAfter(client: Client, options: DownloadOptions, have: Have | undefined) {
  if (!have?.bytes || have.etag === '') return open(client, options);
  try {
    return await open(client, options, rangeAfter(have));
  } catch (error) {
    if (error instanceof ApiError && error.status === 416) return open(client, options);
    throw error;
  }
}

const rangeAfter = ({ etag, bytes }: Have) => ({ range: `bytes=${bytes}-`, 'if-range': etag });

const open = (client: Client, { id, version, signal }: DownloadOptions, headers = {}) =>
  client.send({
    ...{ method: 'GET', path: `/cogs/${id}/download${queryString({ version })}`, headers, signal },
    silence_ms: client.silence_ms,
  });

type Began = { first: Response | undefined; etag: string; size_bytes: number; start: number };

async function* allBytes(
  client: Client,
  options: DownloadOptions,
  { first, etag, size_bytes, start }: Began,
): AsyncGenerator<Uint8Array> {
  if (!first) return;
  let response: Response | undefined = first;
  let received = start;
  for (let attempt = 1; ; attempt += 1) {
    try {
      response ??= await openRest(client, options, { etag, bytes: received });
      for await (const chunk of chunksOf(response, client.silence_ms)) {
        received += chunk.byteLength;
        attempt = 1;
        yield chunk;
      }
      if (received >= size_bytes) return;
      throw new TypeError(`Only ${received} of ${size_bytes} bytes came.`);
    } catch (error) {
      options.signal?.throwIfAborted();
      response = undefined;
      const status = error instanceof ApiError ? error.status : undefined;
      const isRepeatable = error instanceof TypeError || error instanceof ApiError;
      const outcome = { attempt, attempts, isRepeatable, status };
      const delay = retryDelay(outcome, new Date(), Math.random());
      if (delay === undefined) throw error;
      await wait(delay, options.signal);
    }
  }
}

async function openRest(client: Client, options: DownloadOptions, have: Have): Promise<Response> {
  const response = await open(client, options, have.bytes > 0 ? rangeAfter(have) : {});
  const isSame = response.headers.get('etag') === have.etag;
  if (isSame && response.status === (have.bytes > 0 ? 206 : 200)) return response;
  await response.body?.cancel();
  throw new ContentChanged('The content changed while it was being downloaded.');
}

/**
 * The bytes of an answer; by a reader, because not every browser iterates streams.
 *
 * @throws TypeError if none comes for so long.
 */
export async function* chunksOf(
  { body }: Response,
  silence_ms: number,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { value, done } = await unlessSilent(reader.read(), silence_ms);
      if (done) return;
      yield value;
    }
  } finally {
    // Also when the caller wants no more of it.
    await reader.cancel().catch(() => {});
  }
}

export type UrlOptions = {
  /** One file or folder, or several as one ZIP. */
  ids: readonly number[];
  /** Seconds; an hour unless given. */
  expires_in?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** Makes a URL that a browser, or somebody without an account, can open. @throws ApiError */
export function downloadUrl(client: Client, options: UrlOptions): Promise<NewDownloadUrl> {
  const { ids, expires_in, signal } = options;
  const idempotencyKey = newKey();
  const [id] = ids;
  const body = expires_in === undefined ? {} : { expires_in };
  return id !== undefined && ids.length === 1
    ? client.createDownloadUrl({ path: { id }, body, signal, idempotencyKey })
    : client.createSelectionUrl({ body: { ...body, cog_ids: [...ids] }, signal, idempotencyKey });
}
