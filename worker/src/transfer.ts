/**
 * Downloads inputs and uploads outputs by presigned URL. Both are streamed; inputs are verified.
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { WorkOrder } from '@cogworks/sdk/contract.gen';
import { ApiError, apiError } from '@cogworks/sdk/errors';
import { AttemptError } from './attempt-error.ts';
import { forEachParallel } from './concurrency.ts';
import { sealInput } from './containers/inputs.ts';
import { openOutput } from './containers/outputs.ts';
import type { OutputFile, PlacedInput } from './containers/types.ts';
import type { ExecutionHooks, ReportedOutput } from './executor.ts';
import { retryCall } from './retry.ts';

/** @throws AttemptError `input_fetch` if the bytes are missing or not the expected ones. */
export async function fetchInput(
  placed: PlacedInput<WorkOrder['inputs'][number]>,
  stop: AbortSignal,
): Promise<void> {
  const { input, host_path } = placed;
  await retried('input_fetch', `The input ${input.name} could not be fetched`, stop, async () => {
    const response = await fetch(input.url, { signal: stop });
    // Keeps the server's message, which users should see: the stored file may be damaged.
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

/** Uploads the files, a few at a time; results are in the order of the report. */
export async function uploadOutputs(
  openUploads: ExecutionHooks['openUploads'],
  files: OutputFile[],
  stop: AbortSignal,
): Promise<ReportedOutput[]> {
  const reported: ReportedOutput[] = [];
  // The server opens at most a thousand at once.
  for (let start = 0; start < files.length; start += 1000) {
    const some = files.slice(start, start + 1000);
    const sizes = some.map(({ size }) => size);
    const uploads = await openUploads(sizes, stop).catch((error: unknown) => {
      throw isQuota(error) ? new AttemptError('quota_exceeded', error.message) : error;
    });
    await forEachParallel(4, some.entries(), stop, async ([index, file], signal) => {
      const upload = uploads[index];
      if (!upload) throw new Error('The server opened fewer uploads than asked for.');
      reported[start + index] = await uploadOutput(file, upload, signal);
    });
  }
  return reported;
}

/** A retry would not help: an administrator has to make room, or raise the limit. */
const isQuota = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'quota_exceeded';

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
    // Exactly as many bytes as the upload was opened for, even if the file has grown since.
    const whole =
      size === 0 ? Readable.from([]) : handle.createReadStream({ end: size - 1, autoClose: false });
    // An error of the file ends the request, and an error of the request ends the reading.
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

function hashing(hash: ReturnType<typeof createHash>) {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

/**
 * Retries a transfer until it fails for good.
 *
 * @throws AttemptError of `errorClass`: the platform is at fault, not the program.
 */
async function retried<T>(
  errorClass: 'input_fetch' | 'output_upload',
  what: string,
  stop: AbortSignal,
  transfer: () => Promise<T>,
): Promise<T> {
  try {
    return await retryCall(transfer, stop, (error) => error instanceof AttemptError);
  } catch (error) {
    if (error instanceof AttemptError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AttemptError(errorClass, `${what}: ${reason.replace(/\.$/, '')}.`, { cause: error });
  }
}
