import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { relayTo } from '../../test/cut.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { statementsOf } from '../../test/statements.ts';
import { ConnectionLost } from './clients.ts';
import { connectForLookups, type Lookups, sqlState } from './connection.ts';

let database: TestDatabase;
let readDb: Lookups;
before(async () => {
  database = await cloneDatabase();
  readDb = database.readDb;
});
after(() => database.drop());

const pidOf = async (lookups: Lookups) => {
  const [row] = await lookups<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
};

const isLost = (error: unknown) => error instanceof ConnectionLost || sqlState(error) === '57P01';

/**
 * The process id of the next connection. A lost one is still used until its loss is detected here.
 */
async function pidAfterLoss(lookups: Lookups): Promise<number> {
  for (;;) {
    const pid = await pidOf(lookups).catch((error: unknown) => {
      if (!isLost(error)) throw error;
    });
    if (pid !== undefined) return pid;
  }
}

describe('the connection for look-ups', () => {
  it('is one for all who ask at once, and sends their statements without waiting for answers', async () => {
    const asked = Array.from({ length: 50 }, (_, number) => number);

    const { round_trips } = await statementsOf(database, async () => {
      const rows = await Promise.all(
        asked.map((number) => readDb`select ${number}::int as number, pg_backend_pid() as pid`),
      );

      assert.deepEqual(
        rows.map(([row]) => row?.number),
        asked,
      );
      assert.equal(new Set(rows.map(([row]) => row?.pid)).size, 1);
    });

    assert.equal(round_trips, 1);
  });

  it('fails a statement alone, whatever is sent before and behind it', async () => {
    const large = 2n ** 62n;
    const ask = (number: number | bigint) => readDb`select 10 / ${number}::bigint as part`;
    await ask(1);
    const outcomes = await Promise.allSettled([
      ask(2),
      ask(0),
      ask(5),
      readDb`select nothing from nowhere`,
      readDb`select ${large}::bigint as large`,
      ask(0),
      ask(10),
    ]);

    assert.deepEqual(
      outcomes.map((outcome) =>
        outcome.status === 'fulfilled'
          ? outcome.value[0]
          : (sqlState(outcome.reason) ?? outcome.reason.message),
      ),
      [
        { part: 5 },
        '22012',
        { part: 2 },
        '42P01',
        `bigint ${large} is beyond what a number holds`,
        '22012',
        { part: 1 },
      ],
    );
  });

  it('plans along keys, whatever the values and the size of the tables', async () => {
    const [row] = await readDb`
      select current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scans,
        current_setting('jit') as jit
    `;

    assert.deepEqual(row, { plans: 'force_generic_plan', scans: 'off', jit: 'off' });
  });

  it('ends a statement that is slow, and goes on with those behind it', async () => {
    const patience = { statement_ms: 300, lock_ms: 300, idle_in_transaction_ms: 1000 };
    const short = connectForLookups(database.to, { patience });
    try {
      const [slow, next] = await Promise.allSettled([
        short`select pg_sleep(60)`,
        short`select 1 as one`,
      ]);

      assert.equal(slow.status === 'rejected' && sqlState(slow.reason), '57014');
      assert.deepEqual(next.status === 'fulfilled' && [...next.value], [{ one: 1 }]);
    } finally {
      await short.close();
    }
  });

  it('is made anew when it is lost, while nothing is asked and while something is', async () => {
    const lookups = connectForLookups(database.to);
    const lose = (pid: number) => database.db`select pg_terminate_backend(${pid}, 5000)`;
    try {
      const first = await pidOf(lookups);
      await lose(first);
      const second = await pidAfterLoss(lookups);
      const sleep = (seconds: number) => lookups`select pg_sleep(${seconds})`;
      await sleep(0);
      const waiting = [sleep(60), sleep(0), sleep(0)].map((one) => one.send());
      const failed = Promise.all(waiting.map((one) => assert.rejects(one, isLost)));
      await lose(second);
      await failed;
      const third = await pidAfterLoss(lookups);

      assert.equal(new Set([first, second, third]).size, 3);
    } finally {
      await lookups.close();
    }
  });

  it('is made anew when the line to it has died without a word', async () => {
    const line = await relayTo(database.to);
    const over = connectForLookups({ url: line.url }, { silent_ms: 500 });
    try {
      const before = await pidOf(over);
      line.silence();

      await assert.rejects(pidOf(over), /The connection was lost: No answer for 500 ms/);
      assert.notEqual(await pidOf(over), before);
    } finally {
      await over.close();
      await line.cut();
    }
  });

  it('answers what is under way before it closes, and nothing afterwards', async () => {
    const lookups = connectForLookups(database.to);
    const underWay = lookups`select 1 as one`.send();
    await lookups.close();

    assert.deepEqual([...(await underWay)], [{ one: 1 }]);
    await assert.rejects(
      lookups`select 1`.then(() => {}),
      ConnectionLost,
    );
  });
});
