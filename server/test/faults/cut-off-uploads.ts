/** Uploads that are cut off: each sends some bytes, then nothing more. */
import type { Answer, Client } from '../cast.ts';
import type { Installation } from '../installation.ts';
import { confirm, sent } from '../uploads.ts';

export const kilobyte = 1024;
export const megabyte = 1024 * 1024;

type By = Pick<Installation, 'admin'>;

/** In one request, or announced and confirmed, or announced only. @returns the last answer. */
export async function uploadOf({ admin }: By, at: number, name: string): Promise<Answer> {
  const by = admin as Client;
  const bytes = new Uint8Array(kilobyte).fill(65 + (at % 26));
  if (at % 3 === 0) return by.upload(name, bytes);
  const wanted = { name, file_size: kilobyte };
  const answer = await by.post('/cogs/uploads/initiate', wanted);
  if (answer.status !== 201) return answer;
  const upload = answer.body;
  if (at % 3 === 1) return confirm(by, upload, bytes.length, await sent(upload, bytes));
  return by.delete(`/cogs/uploads/${upload.upload_id}`);
}

/** Sends 100 of 200 MB, then waits for the end of the connection. */
export function upload({ admin }: By, name: string, signal: AbortSignal) {
  const edge = 'edge-of-the-parts';
  const head = `--${edge}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  async function* body() {
    yield Buffer.from(head);
    yield* megabytes(100, signal);
  }
  const answer = admin.fetch('/cogs/upload-file', {
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary=${edge}`,
    },
    body: body() as unknown as ReadableStream,
    duplex: 'half',
    signal,
  } as RequestInit);
  answer.catch(() => {});
  return { answer };
}

/** Sends 40 MB, then waits for the end of the connection. */
export const endless = (signal: AbortSignal) => ReadableStream.from(megabytes(40, signal));

async function* megabytes(count: number, signal: AbortSignal) {
  const block = Buffer.alloc(megabyte, 7);
  for (let sent = 0; sent < count; sent += 1) yield block;
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
