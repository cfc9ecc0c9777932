/** The large upload: initiate, PUT the parts side by side, confirm. */
import type { Client } from './client.ts';
import type { Cog } from './contract.gen.ts';
import { errorFromText } from './errors.ts';
import { retryDelay } from './retry.ts';
import { sendBytes } from './transport.ts';
import type { UploadOptions } from './upload.ts';
import { wait } from './wait.ts';

/** More at once fill the line no better, and each holds a part of the file's bytes. */
const parallelParts = 4;

type Part = { part_number: number; url: string; size_bytes: number };
type Initiated = {
  upload_id: string;
  storage_upload_id: string;
  chunk_size: number;
  parts: Part[];
};

export async function uploadInParts(client: Client, options: UploadOptions): Promise<Cog> {
  const { name, bytes, parent_id, signal } = options;
  const upload = await post<Initiated>(client, '/cogs/uploads/initiate', {
    body: { name, parent_id, file_size: bytes.size, mime_type: bytes.type || undefined },
    signal,
  });
  try {
    const etags = await sendParts(client, upload, options);
    return await post<Cog>(client, '/cogs/confirm-upload', {
      body: {
        upload_id: upload.upload_id,
        storage_upload_id: upload.storage_upload_id,
        parent_id,
        file_size: bytes.size,
        parts_json: etags,
      },
      signal,
      idempotencyKey: upload.upload_id,
    });
  } catch (error) {
    // The bytes reserved and sent are given back at once; if this fails too, they expire.
    const path = `/cogs/uploads/${upload.upload_id}`;
    await client.send({ method: 'DELETE', path }).catch(() => {});
    throw error;
  }
}

type PartEtag = { part_number: number; etag: string };

async function sendParts(client: Client, upload: Initiated, options: UploadOptions) {
  const waiting = [...upload.parts];
  const etags: PartEtag[] = [];
  const sent = new Map<number, number>();
  const failure = new AbortController();
  const signal = options.signal
    ? AbortSignal.any([options.signal, failure.signal])
    : failure.signal;

  const sendNext = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const { part_number } = part;
      const offset = (part_number - 1) * upload.chunk_size;
      const etag = await sendPart(client, upload.upload_id, part, {
        bytes: options.bytes.slice(offset, offset + part.size_bytes),
        signal,
        onProgress: (sent_bytes) => {
          sent.set(part_number, sent_bytes);
          options.onProgress?.([...sent.values()].reduce((sum, one) => sum + one, 0));
        },
      });
      etags.push({ part_number, etag });
    }
  };
  const lanes = Array.from({ length: parallelParts }, sendNext);
  // One part that fails for good stops the others, which would be sent for nothing.
  await Promise.all(lanes).catch(async (error: unknown) => {
    failure.abort(error);
    await Promise.allSettled(lanes);
    throw error;
  });
  return etags.sort((a, b) => a.part_number - b.part_number);
}

type PartBytes = { bytes: Blob; signal: AbortSignal; onProgress: (sent_bytes: number) => void };

async function sendPart(client: Client, uploadId: string, part: Part, body: PartBytes) {
  let { url } = part;
  for (let attempt = 1; ; attempt++) {
    const answer = await sendBytes({
      method: 'PUT',
      url,
      headers: {},
      needsLength: true,
      ...body,
    }).catch((error: unknown) => ({ error }));
    body.signal.throwIfAborted();
    if ('status' in answer && answer.status < 300) {
      body.onProgress(body.bytes.size);
      return answer.header('etag') ?? '';
    }
    body.onProgress(0);
    const status = 'status' in answer ? answer.status : undefined;
    const isStale = status === 401 || status === 403;
    // Storing the same part again replaces it, so every failure that may pass is repeated.
    const delay = isStale
      ? retryDelay({ attempt, isRepeatable: true }, new Date(), Math.random())
      : retryDelay({ attempt, isRepeatable: true, status }, new Date(), Math.random());
    if (delay === undefined) {
      throw 'status' in answer ? errorFromText(answer.status, answer.text) : answer.error;
    }
    await wait(delay, body.signal);
    if (isStale) url = await freshUrl(client, uploadId, part.part_number, body.signal);
  }
}

async function freshUrl(
  client: Client,
  uploadId: string,
  part_number: number,
  signal: AbortSignal,
) {
  const answer = await post<{ parts: Part[] } | Part[]>(client, `/cogs/uploads/${uploadId}/parts`, {
    body: { part_numbers: [part_number] },
    signal,
  });
  const [part] = Array.isArray(answer) ? answer : answer.parts;
  if (!part) throw new TypeError('The service gave no URL for the part.');
  return part.url;
}

type Post = { body: unknown; signal?: AbortSignal | undefined; idempotencyKey?: string };

async function post<T>(client: Client, path: string, { body, ...options }: Post): Promise<T> {
  const response = await client.send({
    ...options,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}
