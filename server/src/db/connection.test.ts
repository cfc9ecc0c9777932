import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { statementsOf } from '../../test/statements.ts';
import { ConnectionLost } from './clients.ts';
import { type Connection, connect, type Db } from './connection.ts';
import { databaseTrouble } from './trouble.ts';

let database: TestDatabase;
let db: Connection;
before(async () => {
  database = await cloneDatabase();
  db = database.db;
  await db.script('create table notes (id bigint primary key, text text)');
});
after(() => database.drop());

describe('what a statement answers', () => {
  it('is records as clients see them: numbers, ISO 8601 times, nothing where there is nothing', async () => {
    const rows = await db`
      select 9007199254740991::bigint as large, 1.5::real as real, 12.30::numeric as exact,
        '2026-11-22 04:05:06.789123+02'::timestamptz as at, '2026-11-22'::date as day,
        '12026-01-01 00:00:00+00'::timestamptz as far,
        '{"a": [1, null]}'::jsonb as json, '\\x00ff'::bytea as bytes, true as yes, null as nothing
    `;

    assert.deepEqual(
      [...rows],
      [
        {
          large: 9007199254740991,
          real: 1.5,
          exact: '12.30',
          at: '2026-11-22T02:05:06.789Z',
          day: '2026-11-22T00:00:00.000Z',
          far: '+012026-01-01T00:00:00.000Z',
          json: { a: [1, null] },
          bytes: Buffer.from([0, 255]),
          yes: true,
        },
      ],
    );
  });

  it('holds arrays of all of them', async () => {
    const [row] = await db`
      select array[1, null]::bigint[] as ids, array[true]::boolean[] as flags,
        array['2026-11-22 00:00+00']::timestamptz[] as times, array['{"a":1}']::jsonb[] as json,
        array[gen_random_uuid()] is not null as made, array['a,"b"\\', null, ''] as texts
    `;

    assert.deepEqual(row, {
      ids: [1, null],
      flags: [true],
      times: ['2026-11-22T00:00:00.000Z'],
      json: [{ a: 1 }],
      made: true,
      texts: ['a,"b"\\', null, ''],
    });
  });

  it('has columns of any name, and of each row those that have a value', async () => {
    const rows = await db`
      select n, nullif(n, 1) as "a \\ 'quoted' name", nullif(n, 2) as "two\nlines"
      from generate_series(1, 2) as n
    `;

    assert.deepEqual(
      [...rows],
      [
        { n: 1, 'two\nlines': 1 },
        { n: 2, "a \\ 'quoted' name": 2 },
      ],
    );
  });

  it('is as many empty records as there are rows without columns', async () => {
    assert.deepEqual([...(await db`select from generate_series(1, 2)`)], [{}, {}]);
  });

  it('says how many rows it changed', async () => {
    const made = await db`insert into notes select generate_series(101, 103), 'x'`;
    const gone = await db`delete from notes where id > 101`;

    assert.deepEqual([made.length, made.count, gone.count], [0, 3, 2]);
  });

  it('is an error where a number would lose digits, and the connection goes on', async () => {
    await assert.rejects(
      db`select 9007199254740993::bigint as large`,
      /beyond what a number holds/,
    );
    assert.equal((await db`select 1 as one`)[0]?.one, 1);
  });
});

describe('a value in a statement', () => {
  it('comes back as it went, whatever is in it', async () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
    const values = fc.record({
      text,
      texts: fc.array(fc.option(text)),
      numbers: fc.array(fc.option(fc.maxSafeInteger())),
      flag: fc.boolean(),
      flags: fc.array(fc.boolean()),
      time: fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true }),
      json: fc.oneof(text, fc.dictionary(text, text), fc.constant(null)),
      bytes: fc.uint8Array(),
    });

    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const { time, json, bytes, ...same } = value;
        const [row] = await db`
          select ${value.text}::text as text, ${value.texts}::text[] as texts,
            ${value.numbers}::bigint[] as numbers, ${value.flag} as flag,
            ${value.flags}::boolean[] as flags, ${time} as time, ${db.json(json)}::json as json,
            ${bytes}::bytea as bytes
        `;
        const { json: jsonBack = null, ...back } = row ?? {};
        assert.deepEqual(back, { ...same, time: time.toISOString(), bytes: Buffer.from(bytes) });
        assert.deepEqual(jsonBack, json === null ? null : JSON.parse(JSON.stringify(json)));
      }),
      { numRuns: 200 },
    );
  });

  it('may be another template, whose values keep their places', async () => {
    const piece = (low: number) => db`between ${low} and ${low + 1}`;

    const rows = await db`
      select n from generate_series(1, ${9}) as n where n ${piece(2)} or n ${piece(7)}
    `;

    assert.deepEqual(
      rows.map(({ n }) => n),
      [2, 3, 7, 8],
    );
  });

  it('is refused when it is undefined, or an object that is not said to be JSON', async () => {
    await assert.rejects(
      db`select ${undefined as never}`,
      /Value 1 of this statement is undefined/,
    );
    await assert.rejects(db`select ${{} as never}`, /object is no value for SQL/);
    assert.throws(() => db.json(undefined), /undefined has no JSON/);
  });
});

describe('a statement that is sent', () => {
  it('is told of, and whether it begins a round trip', async () => {
    const counted = await statementsOf(database, async () => {
      await db`select 1`;
      await db
        .transaction(async (tx) => {
          await Promise.all([tx`select 2`, tx`select 3`]);
          await tx`select 1 / 0`.catch(() => {});
        })
        .catch(() => {});
      await Promise.all([db`select 4`, db`select 4`]);
      await db.script('select 5; select 6');
    });
    await db`select 7`;

    assert.deepEqual(counted.texts, [
      'select 1',
      'begin',
      'select 2',
      'select 3',
      'select 1 / 0',
      'rollback',
      'select 4',
      'select 4',
      'select 5; select 6',
    ]);
    assert.deepEqual([counted.statements, counted.round_trips], [9, 8]);
  });
});

describe('a pool of connections', () => {
  it('is whole again after its connections were killed under load, time and again', async () => {
    const pool = connect(database.to, { max: 4 });
    try {
      for (let round = 0; round < 30; round += 1) {
        const work = Array.from({ length: 24 }, (_, at) =>
          at % 2 === 0
            ? pool`select pg_sleep(0.002)`
            : pool.transaction(async (tx) => {
                await Promise.all([tx`select pg_sleep(0.001)`, tx`select ${at}::int`]);
                await tx`select ${'x'.repeat(at * 100)}::text`;
              }),
        );
        const killed = db`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query like '%pg_sleep(0.00%' and pid <> pg_backend_pid()
        `;
        const ends = await Promise.allSettled([...work, killed]);
        for (const end of ends) {
          if (end.status === 'rejected')
            assert.equal(databaseTrouble(end.reason), 'away', String(end.reason));
        }
      }

      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, at) => pool`select ${at}::int as at`),
      );
      assert.deepEqual(
        answers.map(([row]) => row?.at),
        Array.from({ length: 24 }, (_, at) => at),
      );
    } finally {
      await pool.close();
    }
  });

  it('prepares a statement anew when a migration changed what it answers', async () => {
    await db.script('create table widths (n int); insert into widths values (1)');
    const read = async (at = db as Db) => [...(await at`select n from widths`)];
    // On every connection.
    await Promise.all(Array.from({ length: 12 }, () => db.transaction((tx) => read(tx))));

    await db.script('alter table widths alter n type bigint');

    for (let count = 0; count < 12; count += 1) assert.deepEqual(await read(), [{ n: 1 }]);
    assert.deepEqual(await db.transaction((tx) => read(tx)), [{ n: 1 }]);
  });

  it('that is closed finishes what is under way, refuses the rest, and is gone', async () => {
    const pool = connect(database.to, { max: 2 });
    const work = Array.from({ length: 10 }, () =>
      pool.transaction(async (tx) => (await tx`select 1 as one, pg_sleep(0.01)`)[0]?.one),
    );

    const closed = pool.close();
    await assert.rejects(pool`select 1`, ConnectionLost);
    await closed;

    assert.deepEqual(await Promise.all(work), Array(10).fill(1));
    await assert.rejects(
      pool.transaction(async () => {}),
      ConnectionLost,
    );
    await pool.close();
  });

  it('that is closed cuts off what does not end, and who waits behind it', async () => {
    const pool = connect(database.to, { max: 1 });
    const answer = (rows: unknown) => rows;
    const work = [
      pool`select pg_sleep(600)`.then(answer),
      pool`select 1`.then(answer),
      pool.transaction((tx) => tx`select 2`),
    ];
    const ends = Promise.allSettled(work);

    await pool.close();

    for (const end of await ends) {
      assert.ok(
        end.status === 'rejected' && end.reason instanceof ConnectionLost,
        String(end.status),
      );
    }
  });

  it('says where nobody answers', async () => {
    const nobody = connect({ url: 'postgres://someone:secret@127.0.0.1:1/nowhere' });

    await assert.rejects(nobody`select 1`, (error) => {
      assert.ok(error instanceof ConnectionLost);
      assert.match(error.message, /ECONNREFUSED/);
      return !/secret/.test(error.stack ?? '');
    });
    await nobody.close();
  });
});
