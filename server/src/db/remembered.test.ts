import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { type Reading, Remembered } from './remembered.ts';

let database: TestDatabase;
before(async () => {
  database = await cloneDatabase();
  await database.db.script('create table facts (key text primary key, value text)');
});
after(() => database.drop());

/** A cache of facts that counts the reads of each. */
async function stage(limits = { most: 100, longest_ms: 60_000 }) {
  const { db, notices } = database;
  const memory = new Remembered<string>(notices, 'facts', limits);
  while (!notices.isListening()) await turn();
  const reads: string[] = [];
  const read = (key: string, meanwhile = async () => {}) => {
    return async (): Promise<Reading<string> | undefined> => {
      reads.push(key);
      const [row] = await db`select value from facts where key = ${key}`;
      await meanwhile();
      if (!row) return undefined;
      return { value: row.value, grounds: [`key ${key}`], good_for_ms: 60_000 };
    };
  };
  const get = (key: string, meanwhile?: () => Promise<void>) =>
    memory.get(key, read(key, meanwhile));
  let heard = 0;
  notices.on('facts', () => {
    heard += 1;
  });
  /** Changes a fact, and waits for its second notice: the first comes with the answer. */
  const set = async (key: string, value: string) => {
    const before = heard;
    await db.transaction(async (tx) => {
      await tx`
        insert into facts values (${key}, ${value})
        on conflict (key) do update set value = excluded.value
      `;
      await tx`select tell('facts', ${`key ${key}`})`;
      assert.equal(heard, before);
    });
    assert.ok(heard > before);
    while (heard < before + 2) await turn();
  };
  return { get, set, reads };
}

describe('what is remembered', () => {
  it('is read once, and again after it has changed', async () => {
    const { get, set, reads } = await stage();
    await set('a', '1');

    assert.deepEqual([await get('a'), await get('a')], ['1', '1']);
    await set('a', '2');
    assert.deepEqual([await get('a'), await get('a')], ['2', '2']);

    assert.deepEqual(reads, ['a', 'a']);
  });

  it('stays when something else has changed', async () => {
    const { get, set, reads } = await stage();
    await set('a', '1');
    await get('a');

    await set('b', '1');
    await get('a');

    assert.deepEqual(reads, ['a']);
  });

  it('is not what was read before a change and came after it', async () => {
    const { get, set } = await stage();
    await set('a', 'old');

    const late = await get('a', async () => {
      await set('a', 'new');
    });

    assert.equal(late, 'old');
    assert.equal(await get('a'), 'new');
  });

  it('is never that there was nothing', async () => {
    const { get, set } = await stage();

    assert.equal(await get('c'), undefined);
    await set('c', '1');

    assert.equal(await get('c'), '1');
  });

  it('is changed only by a transaction that was committed', async () => {
    const { get, set, reads } = await stage();
    await set('a', '1');
    await get('a');
    const failed = database.db.transaction(async (tx) => {
      await tx`select tell('facts', 'key a')`;
      throw new Error('changed my mind');
    });

    await assert.rejects(failed, /changed my mind/);
    await get('a');

    assert.deepEqual(reads, ['a']);
  });

  it('is bounded: the oldest goes first', async () => {
    const { get, set, reads } = await stage({ most: 2, longest_ms: 60_000 });
    for (const key of ['a', 'b', 'c']) await set(key, '1');
    for (const key of ['a', 'b', 'c', 'c', 'b', 'a']) await get(key);

    assert.deepEqual(reads, ['a', 'b', 'c', 'a']);
  });

  it('is used no longer than it may be', async () => {
    const { get, set, reads } = await stage({ most: 2, longest_ms: 20 });
    await set('a', '1');
    const began = performance.now();

    while (reads.length < 3) await get('a');

    assert.ok(performance.now() - began >= 40);
  });
});
