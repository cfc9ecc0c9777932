/** The hostile member's process: runs one attack until told to stop. */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Scene } from './scene.ts';

type Attack = (scene: Scene, answers: Answers, stop: AbortSignal) => Promise<unknown>;

/** Number of answers by status; `none` without an answer. */
type Answers = Map<string, number>;

export const attacks: Record<string, Attack> = {
  /**
   * Twenty concurrent starts of a run of 250,000 node runs with one key; then with the next key.
   */
  starts: ({ url, hostile }, answers, stop) =>
    inParallel(20, stop, async (round) => {
      await send(
        answers,
        stop,
        url,
        hostile.token,
        'POST',
        `/workflows/workflow-versions/${hostile.large_version}/run`,
        {
          headers: { 'idempotency-key': `${keyOfProcess}-${round}` },
          body: JSON.stringify({ cog_ids: [hostile.folder] }),
        },
      );
    }),

  /** Searches that match nearly all, few and none of the files. */
  searches: ({ url, hostile }, answers, stop) =>
    inParallel(25, stop, (round, place) => {
      const q = ['e', 'report', 'f.pdf', 'ab', '77', 'report 777.pdf', 'zq', 'no such'][
        (round + place) % 8
      ];
      return send(
        answers,
        stop,
        url,
        hostile.token,
        'GET',
        `/cogs/search?q=${encodeURIComponent(q ?? 'e')}`,
      );
    }),

  validates: ({ url, hostile }, answers, stop) =>
    inParallel(20, stop, () =>
      send(
        answers,
        stop,
        url,
        hostile.token,
        'POST',
        `/workflows/workflow-versions/${hostile.faulty_version}/validate`,
      ),
    ),

  polls: ({ url, hostile }, answers, stop) =>
    inParallel(600, stop, async () => {
      const { status } = await send(
        answers,
        stop,
        url,
        hostile.worker.token,
        'POST',
        `/workers/${hostile.worker.id}/acquire`,
        {
          body: JSON.stringify({
            free: { cpu: 4, memory_mb: 8192, gpu: 0, disk_mb: 8192 },
            max: 4,
            wait_seconds: 25,
          }),
        },
      );
      // When refused it retries at once, as far as six hundred connections allow.
      if (status !== 204) await delay(1000);
    }),

  /** A thousand bodies of a megabyte, at one byte per second each. */
  bodies: ({ url, hostile }, answers, stop) =>
    inParallel(1000, stop, () => dripBody(new URL(url), hostile.token, answers, stop)),
};

const keyOfProcess = randomUUID();

async function inParallel(
  count: number,
  stop: AbortSignal,
  once: (round: number, place: number) => Promise<unknown>,
) {
  await Promise.all(
    Array.from({ length: count }, async (_, place) => {
      for (let round = 0; !stop.aborted; round += 1) await once(round, place);
    }),
  );
}

async function send(
  answers: Answers,
  stop: AbortSignal,
  url: string,
  token: string,
  method: string,
  path: string,
  { headers, body }: { headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number }> {
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: stop,
      ...(body === undefined ? {} : { body }),
    });
    await response.arrayBuffer();
    count(answers, String(response.status));
    return { status: response.status };
  } catch {
    count(answers, 'none');
    // A server that refuses connections must not be called in a busy loop.
    await delay(100);
    return { status: 0 };
  }
}

function dripBody(url: URL, token: string, answers: Answers, stop: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // From another address than the quiet tenant's, to have a separate limit of connections.
  const from = { host: url.hostname, port: Number(url.port), localAddress: '127.0.0.2' };
  const socket: Socket = connect(from, () => {
    socket.write(
      `POST /cogs/ HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n{`,
    );
  });
  const timer = setInterval(() => socket.write(' '), 1000);
  const end = () => socket.destroy();
  stop.addEventListener('abort', end);
  socket.once('data', (text) => count(answers, String(text).slice(9, 12)));
  socket.on('error', () => {});
  socket.once('close', () => {
    clearInterval(timer);
    stop.removeEventListener('abort', end);
    resolve();
  });
  return promise;
}

function count(answers: Answers, what: string) {
  answers.set(what, (answers.get(what) ?? 0) + 1);
}

if (import.meta.main)
  process.once('message', (task) => void run(task as { name: string; scene: Scene }));

async function run({ name, scene }: { name: string; scene: Scene }) {
  // In production, an attacker's computing takes nothing from the server's cores.
  setPriority(10);
  const stop = new AbortController();
  const answers: Answers = new Map();
  process.on('message', () => stop.abort());
  await attacks[name]?.(scene, answers, stop.signal);
  const told = [...answers].map(([status, many]) => `${many} × ${status}`);
  process.send?.(told.join(', ') || 'no answer');
}
