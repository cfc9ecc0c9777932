/**
 * A worker that speaks the real protocol and plays the container: a test says how each attempt
 * goes. For what happens between server and worker; real containers are in the tests of worker/.
 */
import { createHash, randomUUID } from 'node:crypto';
import { newEnrollmentToken } from '../src/resources/workers/workers.ts';
import { type Answer, client } from './cast.ts';
import type { TestServer } from './server.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the server really sent
export type Order = any;

export type ScriptedWorker = {
  id: number;
  token: string;
  /** Starts a process. @returns the worker as that process speaks. */
  start(body?: { ended_epoch?: number | undefined; features?: string[] }): Promise<ScriptedWorker>;
  /** Which process it speaks as. */
  epoch: number | undefined;
  stop(): Promise<Answer>;
  acquire(max?: number, free?: Record<string, number>): Promise<Order[]>;
  heartbeat(orders?: Order[], extra?: Record<string, unknown>): Promise<Answer>;
  started(order: Order): Promise<Answer>;
  /** Sends a piece of what the container writes. */
  log(order: Order, startOffset: number, text: string): Promise<Answer>;
  /** Uploads the files and reports success. */
  succeed(order: Order, files?: { port: string; name: string; text: string }[]): Promise<Answer>;
  fail(order: Order, report?: Record<string, unknown>): Promise<Answer>;
  complete(order: Order, report: Record<string, unknown>): Promise<Answer>;
  upload(order: Order, files: { port: string; name: string; text: string }[]): Promise<object[]>;
  /** Takes and ends work until there is none, each attempt as `play` says. @returns the orders. */
  work(play?: (order: Order) => Promise<unknown>): Promise<Order[]>;
};

const capacity = { cpu: 8, memory_mb: 16_384, gpu: 0, disk_mb: 100_000 };

/** Enrols a worker; of one tenant, so that it takes only that tenant's work in a shared database. */
export async function scriptedWorker(
  server: TestServer,
  tenantId: number | null,
): Promise<ScriptedWorker> {
  const { enrollment_token } = await newEnrollmentToken(server.services.db, tenantId, null, 3600);
  const enrolled = await client(server.url).post('/workers', {
    enrollment_token,
    name: `worker-${randomUUID()}`,
    capacity,
  });
  const { id, worker_token } = enrolled.body;
  const worker = workerAs(server, id, worker_token, undefined);
  await worker.heartbeat();
  return worker;
}

/** The worker as one of its processes, or as a program that knows of none. */
export function workerAs(
  server: Pick<TestServer, 'url'>,
  id: number,
  worker_token: string,
  epoch: number | undefined,
): ScriptedWorker {
  const token = epoch === undefined ? worker_token : `${worker_token}.${epoch}`;
  const api = client(server.url, token);
  const path = `/workers/${id}`;

  const complete = (order: Order, report: Record<string, unknown>) =>
    api.post(`${path}/attempts/${order.attempt_id}/complete`, {
      lease_token: order.lease_token,
      ...report,
    });

  const upload = async (order: Order, files: { port: string; name: string; text: string }[]) => {
    if (files.length === 0) return [];
    const { body } = await api.post(`${path}/attempts/${order.attempt_id}/uploads`, {
      lease_token: order.lease_token,
      files: files.map(({ text }) => ({ size_bytes: Buffer.byteLength(text) })),
    });
    return Promise.all(
      files.map(async ({ port, name, text }, index) => {
        const { url, object_id } = body[index];
        const response = await fetch(url, { method: 'PUT', body: text });
        if (!response.ok)
          throw new Error(`not stored: ${response.status} ${await response.text()}`);
        const checksum_sha256 = createHash('sha256').update(text).digest('hex');
        return { port, name, object_id, size_bytes: Buffer.byteLength(text), checksum_sha256 };
      }),
    );
  };

  const worker: ScriptedWorker = {
    id,
    token,
    epoch,
    start: async (body = {}) => {
      const answer = await client(server.url, worker_token).post(`${path}/start`, body);
      return workerAs(server, id, worker_token, answer.body.epoch);
    },
    stop: () => api.post(`${path}/stop`),
    acquire: async (max = 10, free = capacity) => {
      const { body, status } = await api.post(`${path}/acquire`, { free, max });
      return status === 200 ? body : [];
    },
    heartbeat: (orders = [], extra = {}) =>
      api.post(`${path}/heartbeat`, {
        attempts: orders.map(({ attempt_id, lease_token }) => ({ attempt_id, lease_token })),
        ...extra,
      }),
    started: (order) =>
      api.post(`${path}/attempts/${order.attempt_id}/started`, { lease_token: order.lease_token }),
    log: (order, start_offset, text) =>
      api.post(`${path}/attempts/${order.attempt_id}/logs`, {
        lease_token: order.lease_token,
        start_offset,
        data: Buffer.from(text).toString('base64'),
      }),
    upload,
    complete,
    succeed: async (
      order,
      files = [{ port: 'out', name: 'result.txt', text: `${order.node_key} ${order.shard_index}` }],
    ) => {
      await worker.started(order);
      return complete(order, {
        status: 'success',
        exit_code: 0,
        outputs: await upload(order, files),
      });
    },
    fail: async (
      order,
      report = { exit_code: 1, error_class: 'exit_nonzero', error_message: 'exit code 1' },
    ) => {
      await worker.started(order);
      return complete(order, { status: 'failure', ...report });
    },
    work: async (play = (order) => worker.succeed(order)) => {
      const done: Order[] = [];
      for (
        let orders = await worker.acquire();
        orders.length > 0;
        orders = await worker.acquire()
      ) {
        for (const order of orders) await play(order);
        done.push(...orders);
      }
      return done;
    },
  };
  return worker;
}
