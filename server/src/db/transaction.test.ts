import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { statementsOf } from '../../test/statements.ts';
import { type Connection, configOf, connect, type Db, sqlState } from './connection.ts';
import { askTogether } from './prepared.ts';
import { databaseTrouble } from './trouble.ts';

let database: TestDatabase;
let db: Connection;
before(async () => {
  database = await cloneDatabase();
  db = database.db;
  await db.script('create table notes (id bigint primary key, text text)');
});
after(() => database.drop());

describe('a transaction', () => {
  it('keeps nothing when its work fails, and all of it when it does not', async () => {
    const failed = db.transaction(async (tx) => {
      await tx`insert into notes values (1, 'lost')`;
      throw new Error('changed my mind');
    });
    await assert.rejects(failed, /changed my mind/);
    await db.transaction((tx) => tx`insert into notes values (2, 'kept')`);

    assert.deepEqual([...(await db`select id from notes where id < 10`)], [{ id: 2 }]);
  });

  it('is followed by what waits for its commit, and by nothing when there is none', async () => {
    const seen: string[] = [];
    const failed = db.transaction((tx) =>
      tx.transaction(async (joined) => {
        joined.afterCommit(() => seen.push('failed'));
        throw new Error('changed my mind');
      }),
    );
    await assert.rejects(failed, /changed my mind/);
    await db.transaction(async (tx) => {
      tx.afterCommit(() => seen.push('committed'));
      await tx`select 1`;
      seen.push('done');
    });

    assert.deepEqual(seen, ['done', 'committed']);
  });

  it('fails when one of its statements did, even if somebody caught that', async () => {
    const caught = db.transaction(async (tx) => {
      await tx`insert into notes values (3, 'lost')`;
      await tx`select 1 / 0`.catch(() => {});
    });

    await assert.rejects(caught, (error) => sqlState(error) === '22012');
    assert.equal((await db`select from notes where id = 3`).length, 0);
  });

  it('fails when a statement did that nobody waited for', async () => {
    const unheard: Promise<unknown>[] = [];
    const careless = db.transaction(async (tx) => {
      unheard.push(tx`select 1 / 0`.catch(() => {}));
      await tx`select 1`.catch(() => {});
    });

    await assert.rejects(careless, (error) => sqlState(error) === '22012');
    await Promise.all(unheard);
  });

  it('runs nothing that was sent with a statement that fails, and can send it again', async () => {
    const once = connect(database.to, { max: 1 });
    const divide = (by: number) =>
      once.transaction((tx) =>
        Promise.all([
          tx`select 1 as before`,
          tx<{ part: number }[]>`select 12 / ${by}::int as part`,
          tx`insert into notes values (${1000 + by}, 'behind it') returning id`,
        ]),
      );

    await assert.rejects(divide(0), (error) => sqlState(error) === '22012');
    const [, parts, added] = await divide(3);

    assert.deepEqual([[...parts], [...added]], [[{ part: 4 }], [{ id: 1003 }]]);
    const kept = await once`select id from notes where id >= 1000`;
    assert.deepEqual([...kept], [{ id: 1003 }]);
    await once.close();
  });

  it('fails alone, with its connection, when it cannot be put into a message', async () => {
    const client = new Client(configOf(database.to));
    client.on('error', () => {});
    await client.connect();
    const asked = [{} as never, 'fine'].map((value) =>
      askTogether(client, { text: 'select $1::text', values: [value], name: undefined }),
    );

    for (const answer of asked) await assert.rejects(answer, TypeError);
    await assert.rejects(client.query('select 1'));
  });

  it('may begin with its first statements and end with its last ones, in one round trip each', async () => {
    const counted = await statementsOf(database, async () => {
      const [rows, more] = await db.transaction(
        async (tx) => {
          await Promise.all([tx`select 1`, tx`select 2`]);
          return tx.commit([
            tx<{ id: number }[]>`insert into notes values (8, 'last') returning id`,
            tx`select 3`,
          ]);
        },
        { readsFirst: true },
      );
      assert.deepEqual([rows[0]?.id, more.length], [8, 1]);
    });

    assert.deepEqual(counted.texts, [
      'begin',
      'select 1',
      'select 2',
      "insert into notes values (8, 'last') returning id",
      'select 3',
      'commit',
    ]);
    assert.equal(counted.round_trips, 2);
    assert.equal((await db`select from notes where id = 8`).length, 1);
  });

  it('keeps nothing when one of its last statements fails, even if somebody caught that', async () => {
    for (const isCaught of [false, true]) {
      const failed = db.transaction(async (tx) => {
        const last = tx.commit([
          tx`insert into notes values (9, 'lost')`,
          tx`select 1 / 0`,
          tx`select 1`,
        ]);
        return isCaught ? last.catch(() => {}) : last;
      });
      await assert.rejects(failed, (error) => sqlState(error) === '22012');
    }
    const late = db.transaction(async (tx) => {
      await tx.commit([tx`insert into notes values (10, 'kept')`]);
      await tx`insert into notes values (11, 'late')`;
    });
    await assert.rejects(late, /The transaction of this statement is over/);

    assert.deepEqual([...(await db`select id from notes where id between 9 and 11`)], [{ id: 10 }]);
  });

  it('commits nothing when one of its last functions refuses, and nothing that comes in two steps', async () => {
    const refusing = async () => {
      throw new Error('refused');
    };
    const refused = db.transaction((tx) =>
      tx.commit([tx`insert into notes values (14, 'lost')`, refusing()]),
    );
    await assert.rejects(refused, /refused/);
    const two = async (tx: Db) => {
      await tx`insert into notes values (15, 'first')`;
      await tx`insert into notes values (16, 'second')`;
    };
    await assert.rejects(
      db.transaction((tx) => tx.commit([two(tx)])),
      /The transaction of this statement is over/,
    );

    assert.equal((await db`select from notes where id in (14, 16)`).length, 0);
  });

  it('leaves the commit to the transaction that it joins', async () => {
    await db.transaction(async (tx) => {
      await tx.transaction((joined) => joined.commit([joined`insert into notes values (12, 'a')`]));
      await tx`insert into notes values (13, 'b')`;
      assert.equal((await db`select from notes where id in (12, 13)`).length, 0);
    });
    assert.equal((await db`select from notes where id in (12, 13)`).length, 2);
  });

  it('lets no statement in after its end, where it would be part of the next one', async () => {
    let late = (_: number): Promise<unknown> => Promise.resolve();
    await db.transaction(async (tx) => {
      late = async (id) => tx`insert into notes values (${id}, 'late')`;
    });

    await assert.rejects(late(4), /The transaction of this statement is over/);
    assert.equal((await db`select from notes where id = 4`).length, 0);
  });

  for (const isRepeatable of [true, false]) {
    const title = isRepeatable ? 'is repeated if it may be' : 'fails if it may not be repeated';
    it(`that waits for another one, which waits for it, ${title}`, async () => {
      const [one, other] = isRepeatable ? [20, 21] : [22, 23];
      await db`insert into notes values (${one}, ''), (${other}, '')`;
      const bothHold = Promise.withResolvers<void>();
      let held = 0;
      const append = (text: string, ids: readonly number[]) =>
        db.transaction(
          async (tx) => {
            for (const id of ids) {
              await tx`update notes set text = text || ${text} where id = ${id}`;
              held += 1;
              if (held === 2) bothHold.resolve();
              await bothHold.promise;
            }
          },
          { isRepeatable },
        );

      const ends = await Promise.allSettled([append('a', [one, other]), append('b', [other, one])]);

      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      assert.deepEqual(refused.map(sqlState), isRepeatable ? [] : ['40P01']);
      const rows = await db<{ text: string }[]>`
        select text from notes where id in (${one}, ${other})
      `;
      const lengths = rows.map(({ text }) => text.length);
      assert.deepEqual(lengths, isRepeatable ? [2, 2] : [1, 1]);
    });
  }

  it('that took too long in between is lost alone', async () => {
    const patience = { statement_ms: 5000, lock_ms: 5000, idle_in_transaction_ms: 100 };
    const short = connect(database.to, { max: 1, patience });
    try {
      let isOver = false;
      const slow = short.transaction(async (tx) => {
        const [own] =
          await tx`insert into notes values (5, 'slow') returning pg_backend_pid() as pid`;
        while (!isOver) {
          const [still] = await db`select from pg_stat_activity where pid = ${own?.pid}`;
          isOver = !still;
        }
        await tx`insert into notes values (6, 'too late')`;
      });
      const next = short.transaction((tx) => tx`insert into notes values (7, 'next')`);

      // PostgreSQL's last message may be lost with the connection.
      await assert.rejects(
        slow,
        (error) => sqlState(error) === '25P03' || databaseTrouble(error) === 'away',
      );
      await next;
      const rows = await db`select id from notes where id between 5 and 7`;
      assert.deepEqual([...rows], [{ id: 7 }]);
    } finally {
      await short.close();
    }
  });
});
