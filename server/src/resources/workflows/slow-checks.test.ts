import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { type TestServer, testServer } from '../../../test/server.ts';
import { image } from '../../../test/workflows.ts';
import { buildApp } from '../../app.ts';
import { Gate } from '../../http/gate.ts';
import { type GraphThreads, openGraphThreads } from './graph-bodies.ts';

const threads = openGraphThreads();
let before: (() => Promise<unknown>) | undefined;
let tasks = 0;
const watched = {
  ...threads,
  run: async (...task: Parameters<GraphThreads['run']>) => {
    tasks += 1;
    await before?.();
    return threads.run(...task);
  },
} as GraphThreads;
const started = start();

/** A second process on the file's database, whose threads are watched. */
async function start(): Promise<TestServer> {
  const first = await testServer();
  const app = await buildApp({ ...first.services, sameKey: new Gate() }, watched);
  first.beforeStop(() => app.http.close());
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  return { ...first, ...app, url };
}

/** Does `during` before each task that `request` gives to a thread. @returns the answer, and how many tasks. */
async function meanwhile<T>(during: () => Promise<unknown>, request: () => Promise<T>) {
  before = during;
  tasks = 0;
  const answer = await request();
  before = undefined;
  return { answer, tasks };
}

const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });

async function openTransactions({ services }: TestServer): Promise<number> {
  const [row] = await services.engineDb<{ count: number }[]>`
    select count(*)::int as count
    from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'
  `;
  return row?.count ?? 0;
}

const definition = () => ({
  name: `node-${randomUUID()}`,
  version: '1',
  image,
  command: ['true'],
  outputs: [{ name: 'out', glob: '*', cardinality: 'one' }],
  params: { type: 'object', description: 'x'.repeat(5000) },
});

describe('while a thread checks', () => {
  it('a definition has no transaction open, with a key or without', async () => {
    const { owner, server } = await cast(await started);
    for (const extra of [{}, keyed()]) {
      const open: number[] = [];
      const count = async () => open.push(await openTransactions(server));
      const register = () => owner.post('/node_definitions', definition(), extra);
      const { answer } = await meanwhile(count, register);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      assert.deepEqual(open, [0]);
    }
  });

  it('a definition that is refused is not kept for its key, and one that was kept is not checked again', async () => {
    const { owner } = await cast(await started);
    const key = keyed();
    const good = definition();
    const register = (given: unknown) => () => owner.post('/node_definitions', given, key);
    const nothing = async () => {};

    const refused = await meanwhile(nothing, register({ ...good, command: ['{{inputs.no}}'] }));
    const first = await meanwhile(nothing, register(good));
    const again = await meanwhile(nothing, register(good));

    assert.deepEqual(
      [refused, first, again].map(({ answer, tasks }) => [answer.status, tasks]),
      [
        [422, 1],
        [201, 1],
        [201, 0],
      ],
    );
    assert.deepEqual(again.answer.body, first.answer.body);
  });
});
