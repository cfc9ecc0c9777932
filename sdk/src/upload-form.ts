/** Uploads a file in one request, with progress. Aborting leaves nothing behind. */
import type { Client } from './client.ts';
import type { Cog } from './contract.gen.ts';
import { errorFromText, FileChanged } from './errors.ts';
import { retryDelay } from './retry.ts';
import { sendBytes } from './transport.ts';
import { newKey, patience } from './upload-keys.ts';
import { wait } from './wait.ts';

export type UploadOptions = {
  /** Its name in the folder. */
  name: string;
  /** A browser's `File`, or in Node `await openAsBlob(path)`: read while it is sent. */
  bytes: Blob;
  /** The folder; omitted for the root. */
  parent_id?: number | undefined;
  /** Called often, with the bytes sent so far. */
  onProgress?: ((sent_bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * @throws ApiError, e.g. 409 `name_collision`; FileChanged; TypeError if the network fails for long.
 */
export async function uploadFile(client: Client, options: UploadOptions): Promise<Cog> {
  const { boundary, body, overhead_bytes } = formOf(options);
  // If the answer is lost, the service answers the next attempt with the file of the first one.
  const key = newKey();
  const send = (token: string | undefined) =>
    sendBytes({
      method: 'POST',
      url: `${client.baseUrl}/cogs/upload-file`,
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'idempotency-key': key,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      bytes: body,
      file: options.bytes,
      onProgress: withoutOverhead(options, overhead_bytes),
      silence_ms: client.silence_ms,
      signal: options.signal,
    });

  let token = await client.token();
  let isRenewed = false;
  for (let attempt = 1; ; attempt++) {
    const { answer, error } = await send(token).then(
      (answer) => ({ answer, error: undefined }),
      (error: unknown) => ({ answer: undefined, error }),
    );
    if (answer && answer.status < 300) return JSON.parse(answer.text) as Cog;
    options.signal?.throwIfAborted();
    if (error instanceof FileChanged) throw error;
    if (answer?.status === 401 && !isRenewed) {
      isRenewed = true;
      token = await client.token(token);
      continue;
    }
    const delay = retryDelay(
      {
        ...{ attempt, attempts: patience, isRepeatable: true, status: answer?.status },
        retryAfter: answer?.header('retry-after'),
      },
      new Date(),
      Math.random(),
    );
    if (delay === undefined) throw answer ? errorFromText(answer.status, answer.text) : error;
    await wait(delay, options.signal);
  }
}

/**
 * The form's bytes. Composed here instead of by FormData, so that they can be counted and the
 * folder precedes the file: the service then refuses a taken name before it reads the file.
 */
function formOf({ name, bytes, parent_id }: UploadOptions) {
  const boundary = `cogworks-${[...crypto.getRandomValues(new Uint32Array(4))].join('-')}`;
  const folder =
    parent_id === undefined
      ? ''
      : `--${boundary}\r\nContent-Disposition: form-data; name="parent_id"\r\n\r\n${parent_id}\r\n`;
  // As browsers escape it (HTML, section 4.10.21.8).
  const quoted = name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
  const type = bytes.type || 'application/octet-stream';
  const head = `${folder}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted}"\r\nContent-Type: ${type}\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const body = new Blob([head, bytes, tail]);
  return { boundary, body, overhead_bytes: body.size - bytes.size };
}

function withoutOverhead({ bytes, onProgress }: UploadOptions, overhead_bytes: number) {
  return (
    onProgress &&
    ((sent: number) => onProgress(Math.min(bytes.size, Math.max(0, sent - overhead_bytes))))
  );
}
