/** Downloads files, and folders as ZIPs. A download that breaks off goes on where it was. */
import type { Client } from './client.ts';
import type { NewDownloadUrl } from './contract.gen.ts';
import { retryDelay } from './retry.ts';
import { wait } from './wait.ts';

export type DownloadOptions = {
  /** A file, or a folder as a ZIP. */
  id: number;
  signal?: AbortSignal | undefined;
};

export type Downloading = {
  size_bytes: number;
  /** Strong: equal tags mean equal bytes. */
  etag: string;
  /** Ends when everything has arrived; an error if it cannot be continued. */
  bytes: AsyncIterable<Uint8Array>;
};

/**
 * Begins a download. After a break, the rest is requested as a range of the same bytes.
 *
 * @throws ApiError; TypeError if the network fails.
 */
export async function download(client: Client, options: DownloadOptions): Promise<Downloading> {
  const first = await open(client, options);
  const etag = first.headers.get('etag') ?? '';
  const size_bytes = Number(first.headers.get('content-length'));
  return { size_bytes, etag, bytes: allBytes(client, options, { first, etag, size_bytes }) };
}

const open = (client: Client, { id, signal }: DownloadOptions, headers = {}) =>
  client.send({ method: 'GET', path: `/cogs/${id}/download`, headers, signal });

async function* allBytes(
  client: Client,
  options: DownloadOptions,
  { first, etag, size_bytes }: { first: Response; etag: string; size_bytes: number },
): AsyncGenerator<Uint8Array> {
  let response = first;
  let received = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      for await (const chunk of chunksOf(response)) {
        received += chunk.byteLength;
        attempt = 1;
        yield chunk;
      }
      if (received >= size_bytes) return;
      throw new TypeError(`Only ${received} of ${size_bytes} bytes came.`);
    } catch (error) {
      options.signal?.throwIfAborted();
      const delay = retryDelay({ attempt, isRepeatable: true }, new Date(), Math.random());
      if (delay === undefined) throw error;
      await wait(delay, options.signal);
    }
    response = await open(client, options, { range: `bytes=${received}-`, 'if-range': etag });
    if (response.status !== 206) {
      await response.body?.cancel();
      throw new TypeError('The content changed while it was being downloaded.');
    }
  }
}

/** By a reader, because not every browser iterates streams. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { value, done } = await reader.read();
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
  const [id] = ids;
  const body = expires_in === undefined ? {} : { expires_in };
  return id !== undefined && ids.length === 1
    ? client.createDownloadUrl({ path: { id }, body, signal })
    : client.createSelectionUrl({ body: { ...body, cog_ids: [...ids] }, signal });
}
