/** Bytes between worker and storage, by presigned URL: checked on the way in, streamed on the way out. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@cogworks/sdk/client';
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
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
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
    const queue = some.entries();
    const lane = async () => {
      for (const [index, file] of queue) {
        const upload = uploads[index];
        if (!upload) throw new Error('The server opened fewer uploads than asked for.');
        reported[start + index] = await uploadOutput(file, upload, stop);
      }
    };
    await Promise.all(Array.from({ length: 4 }, lane));
  }
  return reported;
}

async function uploadOutput(
  file: OutputFile,
  { url, object_id }: { url: string; object_id: number },
  stop: AbortSignal,
): Promise<ReportedOutput> {
  const { port, name, size } = file;
  return retried('output_upload', `The output ${name} could not be stored`, stop, async () => {
    const handle = await openOutput(file);
    const hash = createHash('sha256');
    // As large as it was when the upload was opened: a file that still grows is cut there.
    const bytes =
      size === 0
        ? Readable.from([])
        : handle.createReadStream({ end: size - 1, autoClose: false }).pipe(hashing(hash));
    try {
      const response = await fetch(url, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
        body: Readable.toWeb(bytes) as unknown as NonNullable<RequestInit['body']>,
        duplex: 'half',
        signal: stop,
      } as RequestInit);
      if (!response.ok) throw new Error(`status ${response.status}`);
      return { port, name, object_id, size_bytes: size, checksum_sha256: hash.digest('hex') };
    } finally {
      await handle.close();
    }
  });
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
    throw new TransferError(errorClass, `${what}: ${reason}.`, error);
  }
}
