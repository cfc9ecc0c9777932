import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { type Client, cast, client } from '../../../test/cast.ts';
import { type Watching, watch } from '../../../test/event-stream.ts';
import { filesOf, run, type Stage, stage, versionOf } from '../../../test/runs.ts';
import { startServer, type TestServer } from '../../../test/server.ts';
import { statementsOf } from '../../../test/statements.ts';
import { scriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../../test/workflows.ts';
import { addRunEvents } from '../../engine/tables/run-events.ts';
import { usualLimits } from '../../limits.ts';

const eventsOf = (id: number) => `/workflows/workflow-runs/${id}/events`;
const begun = (stream: Watching) => stream.until(({ event }) => event === 'progress');

async function start({ owner }: Pick<Stage, 'owner'>): Promise<number> {
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
  return body.workflow_run_id;
}

/** A server with its own stream limits, a tenant on it, and a run that waits. */
async function alone(streams: Partial<typeof usualLimits.streams> = {}) {
  const connections = { in_all: 5000, per_address: 5000 };
  const limits = { connections, streams: { ...usualLimits.streams, ...streams } };
  const server = await startServer({}, undefined, { limits });
  const people = await cast(server);
  await storeCredentials(people.admin);
  const worker = await scriptedWorker(server, people.owner.user.tenant_id);
  const stage: Stage = { ...people, worker };
  return { ...stage, id: await start(stage) };
}

describe('whoever watches', () => {
  it('is cut off when their key is revoked, and others are not', async () => {
    const people = await stage();
    const { owner, server } = people;
    const { body: key } = await owner.post('/api-keys', { description: 'watches' });
    const { body: token } = await owner.post('/api-keys/token', { api_key: key.access_key });
    const id = await start(people);
    const other = await watch(owner, eventsOf(id));
    const watching = [
      await watch(client(server.url, token.access_token), eventsOf(id)),
      await watch(byKey(server, key.access_key), '/events'),
    ];
    for (const stream of watching) await stream.until(({ event }) => event !== '');

    await owner.delete(`/api-keys/${key.id}`);
    await Promise.all(watching.map(({ ended }) => ended));

    const { status } = await watch(byKey(server, key.access_key), '/events');
    assert.equal(status, 401);
    await people.worker.work();
    await other.until(({ event }) => event === 'end');
  });

  it('is cut off when they are disabled', async () => {
    const people = await stage();
    const stream = await watch(people.viewer, '/events');
    await stream.until(({ event }) => event === 'reset');
    await people.admin.patch(`/users/${people.viewer.user.id}`, { status: 'disabled' });
    await stream.ended;
  });

  it('has so many streams, and not more', async () => {
    const { owner, viewer, id } = await alone({ per_user: 2, per_tenant: 3 });
    const first = await watch(owner, eventsOf(id));
    const second = await watch(owner, '/events');
    const refused = await owner.get('/events');
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_at_once']);
    const third = await watch(viewer, '/events');
    assert.equal((await viewer.get('/events')).status, 429);

    first.close();
    await first.ended;
    const again = await firstOf(() => watch(viewer, '/events'));
    for (const stream of [second, third, again]) stream.close();
  });

  it('is cut off when they do not read, and the server goes on', async () => {
    const { owner, server, worker, id } = await alone({ most_bytes: 64 * 1024 });
    const { db, rounds } = server.services;
    const reader = await watch(owner, eventsOf(id));
    await begun(reader);
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.pause();
    const closed = new Promise((resolve) =>
      server.http.server.once('request', (request) => {
        request.socket.once('close', resolve);
      }),
    );
    socket.write(
      `GET ${eventsOf(id)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.token}\r\n\r\n`,
    );
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    const data = { text: 'x'.repeat(1024 * 1024) } as never;
    const { tenant_id } = owner.user;
    for (let number = 0; !isClosed; number += 1) {
      const details = [
        { event: 'node_run' as const, data: { ...(data as object), number } as never },
      ];
      await addRunEvents(db, [{ tenant_id, run_id: id, run: undefined, details, is_last: false }]);
      rounds.ground.newEvents.tell();
      await reader.until(({ data }) => data.number === number);
    }
    socket.destroy();

    await worker.work();
    await reader.until(({ event }) => event === 'end');
  });

  it('is told when the server stops, and may go on elsewhere', async () => {
    const { owner, server, worker, id } = await alone();
    const beside = await startServer({}, undefined, { beside: server });
    const stream = await watch(client(beside.url, owner.token), eventsOf(id));
    await begun(stream);
    await beside.http.close();
    await stream.ended;
    assert.notEqual(stream.told.at(-1)?.event, 'end');

    await worker.work();
    const resumed = await watch(owner, eventsOf(id), stream.lastId);
    await resumed.until(({ event }) => event === 'end');
  });
});

describe('a thousand streams', () => {
  it('are served by one reader, and end with their run', async () => {
    const { owner, server, worker, id } = await alone({ per_user: 1000 });
    const streams = await Promise.all(
      Array.from({ length: 1000 }, (_, at) => watch(owner, at % 2 ? eventsOf(id) : '/events')),
    );
    await Promise.all(streams.map((stream) => stream.until(({ event }) => event !== '')));
    const { texts } = await statementsOf(server, async () => {
      await worker.work();
      await Promise.all(
        streams.map((stream) => stream.until(({ data }) => data.finished_at !== undefined)),
      );
    });

    const reads = texts.filter((text) => text.includes('from run_events ')).length;
    assert.ok(reads < 100, `${reads} reads for 1000 streams`);
    await Promise.all(streams.filter((_, at) => at % 2).map(({ ended }) => ended));
    for (const stream of streams) stream.close();
  });
});

const byKey = (server: TestServer, key: string): Pick<Client, 'fetch'> => ({
  fetch: (path, init = {}) =>
    fetch(server.url + path, { ...init, headers: { ...init.headers, 'x-api-key': key } }),
});

/** Retries until it is accepted: the server notices a disconnected client a moment later. */
async function firstOf(open: () => Promise<Watching>): Promise<Watching> {
  for (;;) {
    const stream = await open();
    if (stream.status === 200) return stream;
    await stream.ended;
  }
}
