import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';
import { startServer } from '../../test/server.ts';
import { findDifferences } from './reconciling.ts';

describe('what is recorded and what is stored', () => {
  it('are compared by key and size, and only what differs is told', async () => {
    const server = await startServer();
    const { owner } = await cast(server);
    const { db, storage } = server.services;
    const files = ['whole', 'lost', 'cut', 'empty'];
    for (const name of files) await owner.upload(name, name === 'empty' ? '' : `bytes of ${name}`);
    const keyOf = async (name: string) => {
      const [row] = await db<{ key: string }[]>`
        select key from cogs join objects on objects.id = object_id where name = ${name}
      `;
      return row?.key ?? '';
    };
    const put = (key: string, text: string) =>
      storage.write(key, Readable.from([Buffer.from(text)]));
    const [lost, cut] = [await keyOf('lost'), await keyOf('cut')];
    const whole = await findDifferences(server.services);

    await storage.remove(lost);
    await storage.remove(cut);
    await put(cut, 'bytes');
    // Before all recorded keys, among them, and behind them.
    const strangers = [
      `0/${randomUUID()}`,
      `${owner.user.tenant_id}/${randomUUID()}`,
      `99999/${randomUUID()}`,
    ];
    for (const key of strangers) await put(key, 'of nobody');
    const found = await findDifferences(server.services);

    assert.deepEqual([whole.missing, whole.other_size, whole.unknown], [none, none, none]);
    assert.equal(whole.objects, found.objects);
    assert.deepEqual(found.missing, { count: 1, keys: [lost] });
    assert.deepEqual(found.other_size, { count: 1, keys: [cut] });
    assert.deepEqual(found.unknown, { count: 3, keys: strangers.toSorted() });
  });
});

const none = { count: 0, keys: [] };
