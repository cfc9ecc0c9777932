/** Bytes between worker and storage, by presigned URL: checked on the way in, streamed on the way out. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@cogworks/sdk/client';
import { apiError } from '@cogworks/sdk/errors';
import type { Order } from './attempt.ts';
import { sealInput } from './containers/inputs.ts';
import { openOutput } from './containers/outputs.ts';
import { ContainerError, type OutputFile, type PlacedInput } from './containers/types.ts';
import { patiently } from './patience.ts';
import type { ReportedOutput } from './report.ts';

/** @throws TransferError `input_fetch` when the bytes do not come, or are not those that were promised. */
export async function fetchInput(
  placed: PlacedInput<Order['inputs'][number]>,
  stop: AbortSignal,
): Promise<void> {
  const { input, host_path } = placed;
  await retried('input_fetch', `The input ${input.name} could not be fetched`, stop, async () => {
    const response = await fetch(input.url, { signal: stop });
    // In its words: that the stored file is damaged, for example, is for whoever started the run.
    if (!response.ok) throw await apiError(response);
    if (!response.body) throw new Error('there was no body');
    const hash = createHash('sha256');
    await pipeline(
      Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]),
      hashing(hash),
      createWriteStream(host_path, { mode: 0o600 }),
      { signal: stop },
    );
    if (hash.digest('hex') !== input.checksum_sha256) throw new Error('the checksum differs');
  });
  await sealInput(placed);
}

/** Uploads the files, a few at a time, in the order they are to be reported. */
export async function uploadOutputs(
  client: Client,
  path: { id: number; attempt_id: number },
  leaseToken: string,
  files: OutputFile[],
  stop: AbortSignal,
): Promise<ReportedOutput[]> {
  const reported: ReportedOutput[] = [];
  // The server opens a thousand at most at once.
  for (let start = 0; start < files.length; start += 1000) {
    const some = files.slice(start, start + 1000);
    const body = { lease_token: leaseToken, files: some.map(({ size }) => ({ size_bytes: size })) };
    const uploads = await patiently(() => client.openUploads({ path, body, signal: stop }), stop);
    await aFewAtOnce(4, some.entries(), stop, async ([index, file], signal) => {
      const upload = uploads[index];
      if (!upload) throw new Error('The server opened fewer uploads than asked for.');
      reported[start + index] = await uploadOutput(file, upload, signal);
    });
  }
  return reported;
}

async function uploadOutput(
  file: OutputFile,
  { url, object_id }: { url: string; object_id: number },
  stop: AbortSignal,
): Promise<ReportedOutput> {
  const { port, name, size, renamed_from } = file;
  const named = { port, name, ...(renamed_from === undefined ? {} : { renamed_from }) };
  return retried('output_upload', `The output ${name} could not be stored`, stop, async () => {
    const handle = await openOutput(file);
    const hash = createHash('sha256');
    const bytes = hashing(hash);
    // As large as it was when the upload was opened: a file that still grows is cut there.
    const whole =
      size === 0 ? Readable.from([]) : handle.createReadStream({ end: size - 1, autoClose: false });
    // A file that cannot be read ends the request, and a request that fails ends the reading.
    const read = pipeline(whole, bytes).catch(() => {});
    try {
      const response = await fetch(url, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
        body: Readable.toWeb(bytes) as unknown as NonNullable<RequestInit['body']>,
        duplex: 'half',
        signal: stop,
      } as RequestInit);
      if (!response.ok) throw await apiError(response);
      return { ...named, object_id, size_bytes: size, checksum_sha256: hash.digest('hex') };
    } finally {
      bytes.destroy();
      await read;
      await handle.close();
    }
  });
}

/** Works through `items`, `width` at a time. When one fails all are aborted, and none goes on. */
export async function aFewAtOnce<T>(
  width: number,
  items: IteratorObject<T>,
  stop: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failing = new AbortController();
  const signal = AbortSignal.any([stop, failing.signal]);
  let failure: { error: unknown } | undefined;
  const lane = async () => {
    for (const item of items) {
      await work(item, signal).catch((error: unknown) => {
        failure ??= { error };
        failing.abort();
      });
      if (failure) return;
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  if (failure) throw failure.error;
}

function hashing(hash: ReturnType<typeof createHash>) {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

/** A transfer that failed for good: the platform's fault, not the program's. */
export class TransferError extends Error {
  readonly error_class: 'input_fetch' | 'output_upload';
  constructor(errorClass: TransferError['error_class'], message: string, cause: unknown) {
    super(message, { cause });
    this.error_class = errorClass;
  }
}

async function retried<T>(
  errorClass: TransferError['error_class'],
  what: string,
  stop: AbortSignal,
  transfer: () => Promise<T>,
): Promise<T> {
  try {
    return await patiently(transfer, stop, (error) => error instanceof ContainerError);
  } catch (error) {
    if (error instanceof ContainerError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TransferError(errorClass, `${what}: ${reason.replace(/\.$/, '')}.`, error);
  }
}
