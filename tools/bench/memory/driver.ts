/** A client of large files as a process: many at once, whose bytes it makes as they are sent. */
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Api, apiOf, formAround, formHeaders } from '../http.ts';
import { answerTasks } from '../processes.ts';

export type MemoryTask =
  | { task: 'open'; url: string; tokens: string[] }
  /** Uploads that many files of that size at once, each as one form or in parts. */
  | { task: 'form' | 'parts'; count: number; bytes: number }
  /** Uploads one file, and downloads it that many times at once. */
  | { task: 'down'; count: number; bytes: number };

let url: string;
let people: { api: Api; authorization: string }[] = [];
let root: number;
let named = 0;

answerTasks(async (task: MemoryTask): Promise<unknown> => {
  if (task.task === 'open') {
    url = task.url;
    people = task.tokens.map((token) => ({
      api: apiOf(url, token),
      authorization: `Bearer ${token}`,
    }));
    root = (await someone(0).api('GET', '/cogs/root')).id;
    return root;
  }
  const { count, bytes } = task;
  if (task.task === 'down') {
    const id = await sendForm(bytes);
    return Promise.all(Array.from({ length: count }, () => receive(id, bytes)));
  }
  const way = task.task === 'form' ? sendForm : sendParts;
  return Promise.all(Array.from({ length: count }, (_, by) => way(bytes, by)));
});

const someone = (place: number) => people[place % people.length] as (typeof people)[0];

/** The same bytes in every file; storage does not compare them. */
const piece = Buffer.alloc(256 * 1024, 'large file ');

function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= piece.length) {
    yield left < piece.length ? piece.subarray(0, left) : piece;
  }
}

async function sendForm(bytes: number, by = 0): Promise<number> {
  const { authorization } = someone(by);
  named += 1;
  const { head, tail } = formAround(root, `form-${named}`);
  const body = function* () {
    yield head;
    yield* pieces(bytes);
    yield tail;
  };
  const length = head.length + bytes + tail.length;
  const headers = { authorization, ...formHeaders };
  const answer = await send('POST', `${url}/cogs/upload-file`, headers, length, body());
  return JSON.parse(answer.text).id;
}

/** One part after another, as clients do with a slow line. */
async function sendParts(bytes: number, by: number): Promise<number> {
  const { api } = someone(by);
  named += 1;
  const wanted = { name: `parts-${named}`, file_size: bytes, parent_id: root };
  const upload = await api('POST', '/cogs/uploads/initiate', wanted);
  const parts: { part_number: number; etag: string }[] = [];
  for (const { part_number, url: to, size_bytes } of upload.parts) {
    const { etag } = await send('PUT', to, {}, size_bytes, pieces(size_bytes));
    parts.push({ part_number, etag });
  }
  const { upload_id, storage_upload_id } = upload;
  const confirmation = { upload_id, storage_upload_id, file_size: bytes, parts_json: parts };
  // Its bytes are read for their checksum; it waits for its turn.
  for (;;) {
    const answer = await api('POST', '/cogs/confirm-upload', confirmation);
    if (answer.state !== 'verifying') return answer.id;
  }
}

async function send(
  method: string,
  target: string,
  headers: Record<string, string>,
  length: number,
  body: Iterable<Buffer>,
): Promise<{ text: string; etag: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sending = request(
    target,
    { method, agent: false, headers: { 'content-length': length, ...headers } },
    resolve,
  );
  sending.once('error', reject);
  const sent = pipeline(Readable.from(body, { objectMode: true, highWaterMark: 1 }), sending);
  const [answer] = await Promise.all([promise, sent]);
  const chunks = await answer.toArray();
  const text = Buffer.concat(chunks).toString();
  if ((answer.statusCode ?? 0) > 299) throw new Error(`${answer.statusCode} ${text}`);
  return { text, etag: answer.headers.etag ?? '' };
}

/** Reads and forgets a file. @throws Error if it is not that long. */
async function receive(id: number, bytes: number): Promise<number> {
  const { authorization } = someone(0);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(`${url}/cogs/${id}/download`, { agent: false, headers: { authorization } }, resolve)
    .once('error', reject)
    .end();
  const answer = await promise;
  let read = 0;
  for await (const chunk of answer) read += (chunk as Buffer).length;
  if (read !== bytes) throw new Error(`${read} bytes instead of ${bytes}.`);
  return read;
}
