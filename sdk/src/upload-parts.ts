/**
 * Sends the bytes of an announced upload directly to the storage: several parts at once, each
 * repeated by itself if the network fails, with a fresh URL if its own has expired.
 */
import { anyOf } from './any-of.ts';
import type { Client } from './client.ts';
import type { PartUrl, StoredPart } from './contract.gen.ts';
import { errorFromText, FileChanged } from './errors.ts';
import { retryDelay } from './retry.ts';
import type { Slots } from './slots.ts';
import { type BytesAnswer, sendBytes } from './transport.ts';
import { patience, persisting } from './upload-keys.ts';
import { wait } from './wait.ts';

/** An upload as the service knows it. */
export type Announced = {
  upload_id: number;
  storage_upload_id: string;
  chunk_size: number;
  /** May be incomplete; the others are requested. */
  parts: readonly PartUrl[];
};

export type SentPart = { part_number: number; etag: string };

export type SendOptions = {
  upload: Announced;
  bytes: Blob;
  /** Requests under way at once, shared with other uploads. */
  slots: Slots;
  /** Parts that need not be sent again. */
  stored?: readonly StoredPart[] | undefined;
  onProgress?: ((sent_bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
};

/** Of one file, so that small files are sent beside a large one. */
const partsAtOnce = 4;
/** URLs in one request for fresh ones. */
const urlsAtOnce = 100;

/**
 * @throws ApiError if the storage refuses a part; FileChanged; TypeError if the network fails for
 *   long.
 */
export async function sendParts(client: Client, options: SendOptions): Promise<SentPart[]> {
  const { upload, bytes, slots, stored = [], onProgress } = options;
  const { silence_ms } = client;
  const count = Math.max(1, Math.ceil(bytes.size / upload.chunk_size));
  const failed = new AbortController();
  const signal = anyOf(failed.signal, options.signal);
  const urls = urlsOf(client, upload, count, signal);
  const sent = new Map<number, SentPart>(
    stored.map(({ part_number, etag }) => [part_number, { part_number, etag }]),
  );
  let total = stored.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const count_bytes = (difference: number) => {
    total += difference;
    onProgress?.(total);
  };
  if (stored.length > 0) count_bytes(0);

  const missing = Array.from({ length: count }, (_, at) => at + 1).filter((one) => !sent.has(one));
  const numbers = missing.values();
  const work = async () => {
    for (const part_number of numbers) {
      const start = (part_number - 1) * upload.chunk_size;
      const part = bytes.slice(start, start + upload.chunk_size);
      const send = () => sendPart(part, { part_number, urls, count_bytes, silence_ms, signal });
      sent.set(part_number, { part_number, etag: await slots.run(send, signal) });
    }
  };
  const workers = Array.from({ length: Math.min(partsAtOnce, missing.length) }, () =>
    work().catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  await Promise.all(workers);
  return withTags(client, upload, [...sent.values()], options.signal);
}

type PartOptions = {
  part_number: number;
  urls: Urls;
  count_bytes: (difference: number) => void;
  silence_ms: number;
  signal: AbortSignal;
};

/** @returns the part's ETag; empty if it cannot be read. */
async function sendPart(part: Blob, options: PartOptions): Promise<string> {
  const { part_number, urls, count_bytes, silence_ms, signal } = options;
  let url = await urls.get(part_number);
  let refusals = 0;
  for (let attempt = 1; ; attempt++) {
    let sent = 0;
    const told = (now: number) => {
      count_bytes(now - sent);
      sent = now;
    };
    const request = { method: 'PUT', url, headers: {}, bytes: part } as const;
    const { answer, error } = await outcomeOf(
      sendBytes({ ...request, onProgress: told, silence_ms, signal }),
    );
    if (answer && answer.status < 300) {
      told(part.size);
      return answer.header('etag') ?? '';
    }
    told(0);
    signal.throwIfAborted();
    if (error instanceof FileChanged) throw error;
    // An expired URL; one that was just made is refused for another reason.
    if (answer?.status === 403 && refusals++ === 0) {
      url = await urls.renew(part_number, url);
      continue;
    }
    // Storages answer 500 for passing faults of their own.
    const status = answer?.status === 500 ? undefined : answer?.status;
    const retryAfter = answer?.header('retry-after');
    const outcome = { attempt, attempts: patience, isRepeatable: true, status, retryAfter };
    const delay = retryDelay(outcome, new Date(), Math.random());
    if (delay === undefined) throw answer ? errorFromText(answer.status, answer.text) : error;
    await wait(delay, signal);
  }
}

const outcomeOf = (
  sending: Promise<BytesAnswer>,
): Promise<{ answer?: BytesAnswer; error?: unknown }> =>
  sending.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );

type Urls = {
  get(part_number: number): Promise<string>;
  /** Instead of one that was refused. */
  renew(part_number: number, refused: string): Promise<string>;
};

function urlsOf(client: Client, upload: Announced, count: number, signal: AbortSignal): Urls {
  const { upload_id } = upload;
  const known = new Map(upload.parts.map(({ part_number, url }) => [part_number, url]));
  let asking = Promise.resolve();

  // Together with those that follow, one request after the other: the URLs of all parts expire at
  // about the same time.
  const request = (part_number: number, refused?: string): Promise<string> => {
    const answer = asking.then(async () => {
      const present = known.get(part_number);
      if (present !== undefined && present !== refused) return present;
      const length = Math.min(urlsAtOnce, count - part_number + 1);
      const part_numbers = Array.from({ length }, (_, at) => part_number + at);
      const { parts } = await client.createPartUrls({
        ...{ path: { upload_id }, body: { part_numbers }, signal },
        ...{ isRepeatable: true, ...persisting(client) },
      });
      for (const part of parts) known.set(part.part_number, part.url);
      return known.get(part_number) ?? '';
    });
    asking = answer.then(
      () => undefined,
      () => undefined,
    );
    return answer;
  };
  return {
    get: async (part_number) => known.get(part_number) ?? request(part_number),
    renew: request,
  };
}

/** A browser reads an ETag only if the storage allows it; otherwise the service tells it. */
async function withTags(
  client: Client,
  { upload_id }: Announced,
  sent: SentPart[],
  signal: AbortSignal | undefined,
): Promise<SentPart[]> {
  if (sent.every(({ etag }) => etag !== '')) return sent;
  const { parts } = await client.getUpload({
    ...{ path: { upload_id }, signal, ...persisting(client) },
  });
  return parts.map(({ part_number, etag }) => ({ part_number, etag }));
}
