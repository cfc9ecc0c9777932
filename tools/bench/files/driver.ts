/** A client of files as a process: closed loops of small requests, and single large bodies. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Pool, type PoolConfig } from 'pg';
import type { Logged } from '../database-log.ts';
import { type Api, apiOf, formAround, formHeaders, send, uploadForm } from '../http.ts';
import { atOnce } from '../measure.ts';
import { answerTasks } from '../processes.ts';

export type Small = 'get' | 'list' | 'download' | 'upload' | 'nothing';

export type FilesTask =
  | { task: 'open'; url: string; token: string }
  /** Runs `operation` on the server in that many loops. Returns its rates. */
  | { task: 'small'; operation: Small; loops: number; seconds: number }
  /** Runs these statements instead, with the bare driver. Returns the rate per second. */
  | { task: 'statements'; to: PoolConfig; statements: Logged[]; loops: number; seconds: number }
  /** Returns MB per second, and the id of the file if it went to the server. */
  | { task: 'send'; to: 'server' | { url: string }; bytes: number }
  | { task: 'receive'; from: { cog_id: number } | { url: string } };

export type Opened = { folder: number; ids: number[] };
export type Sent = { mb_per_s: number; cog_id?: number };

const content = randomBytes(10_000);

let url: string;
let api: Api;
let headers: { authorization: string };
let folder: number;
const ids: number[] = [];
let named = 0;

answerTasks(async (task: FilesTask): Promise<unknown> => {
  switch (task.task) {
    case 'open':
      return open(task);
    case 'small':
      return atOnce(operations[task.operation], task);
    case 'statements':
      return statementsPerSecond(task);
    case 'send':
      return task.to === 'server' ? sendToServer(task.bytes) : sendTo(task.to.url, task.bytes);
    case 'receive':
      return receive(
        'url' in task.from ? task.from.url : `${url}/cogs/${task.from.cog_id}/download`,
      );
  }
});

async function open(task: FilesTask & { task: 'open' }): Promise<Opened> {
  url = task.url;
  api = apiOf(url, task.token);
  headers = { authorization: `Bearer ${task.token}` };
  folder = (await api('POST', '/cogs/', { name: 'Small', cog_type: 'asset_folder' })).id;
  for (let count = 0; count < 200; count += 1) ids.push(await upload());
  const [page, one] = [await operations.list(), await operations.download()];
  const rows = JSON.parse(page.toString()).length;
  if (rows !== 100 || one.length !== content.length)
    throw new Error(`A page of ${rows} files, and a file of ${one.length} bytes.`);
  return { folder, ids };
}

const anyFile = () => ids[Math.floor(Math.random() * ids.length)];
const read = (path: string) => send('GET', url + path, { headers });

const operations = {
  get: () => read(`/cogs/${anyFile()}`),
  list: () => read(`/cogs/?parent_id=${folder}&limit=100`),
  download: () => read(`/cogs/${anyFile()}/download`),
  upload,
  // A request that the server answers without any SQL.
  nothing: () => read('/healthz'),
};

async function upload(): Promise<number> {
  named += 1;
  const form = uploadForm(folder, `${named}.bin`, content);
  const sent = { headers: { ...headers, ...form.headers }, body: form.body };
  return JSON.parse((await send('POST', `${url}/cogs/upload-file`, sent)).toString()).id;
}

async function statementsPerSecond(task: FilesTask & { task: 'statements' }): Promise<number> {
  const pool = new Pool({ ...task.to, max: task.loops });
  const once = async () => {
    const client = await pool.connect();
    for (const [place, { text, values }] of task.statements.entries())
      await client.query({ name: `s${place}`, text, values, rowMode: 'array' });
    client.release();
  };
  try {
    return (await atOnce(once, task)).per_s;
  } finally {
    await pool.end();
  }
}

const piece = randomBytes(1024 * 1024);

function* pieces(bytes: number) {
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left);
}

async function sendToServer(bytes: number): Promise<Sent> {
  named += 1;
  const { head, tail } = formAround(folder, `${named}.bin`);
  const body = function* () {
    yield head;
    yield* pieces(bytes);
    yield tail;
  };
  const length = head.length + bytes + tail.length;
  const sent = await post(
    `${url}/cogs/upload-file`,
    { ...headers, ...formHeaders },
    length,
    body(),
  );
  return { mb_per_s: bytes / 1e6 / sent.took_s, cog_id: JSON.parse(sent.answer).id };
}

async function sendTo(target: string, bytes: number): Promise<Sent> {
  const { took_s } = await post(target, {}, bytes, pieces(bytes));
  return { mb_per_s: bytes / 1e6 / took_s };
}

async function post(
  target: string,
  headers: Record<string, string>,
  length: number,
  body: Iterable<Buffer>,
): Promise<{ took_s: number; answer: string }> {
  const began = performance.now();
  const sent = request(target, {
    method: 'POST',
    headers: { ...headers, 'content-length': length },
  });
  const answered = new Promise<string>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', async (response) => {
      const answer = (await response.toArray()).join('');
      if (response.statusCode === 201) resolve(answer);
      else reject(new Error(`${target}: ${response.statusCode} ${answer}`));
    });
  });
  await Promise.all([pipeline(Readable.from(body), sent), answered]);
  return { took_s: (performance.now() - began) / 1000, answer: await answered };
}

/** With a bare socket and one buffer: Node's client would limit both servers. */
function receive(from: string): Promise<number> {
  const { hostname, port, pathname, host } = new URL(from);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const began = performance.now();
  let left: number | undefined;
  const bytesIn = (count: number, buffer: Uint8Array): boolean => {
    if (left === undefined) left = bodyAfter(Buffer.from(buffer.buffer, 0, count));
    else left -= count;
    if (left <= 0) socket.destroy();
    return true;
  };
  let total = 0;
  /** @returns the part of the body that follows the head. */
  const bodyAfter = (first: Buffer): number => {
    const head = first.toString('latin1');
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 200') || length === undefined)
      throw new Error(`${from}: ${head.slice(0, 200)}`);
    total = Number(length);
    return total - (first.length - head.indexOf('\r\n\r\n') - 4);
  };
  const onread = { buffer: new Uint8Array(1024 * 1024), callback: bytesIn };
  const socket = connect({ host: hostname, port: Number(port), onread });
  socket.once('error', reject);
  socket.once('close', () => {
    if (left !== 0) reject(new Error(`${from}: ${left} bytes are missing.`));
    else resolve(total / 1e6 / ((performance.now() - began) / 1000));
  });
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${headers.authorization}\r\n\r\n`,
  );
  return promise;
}
