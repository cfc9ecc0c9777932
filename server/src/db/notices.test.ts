import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { relayTo } from '../../test/cut.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { type Notices, openNotices, stalest_ms } from './notices.ts';

let database: TestDatabase;
before(async () => {
  database = await cloneDatabase();
});
after(() => database.drop());

const notify = (channel: string, payload: string) =>
  database.db`select pg_notify(${channel}, ${payload})`;

/** Polls at every turn of the event loop; the test's time limit ends it. */
async function until(isTrue: () => boolean) {
  while (!isTrue()) await turn();
}

/** Records notices of a channel, and changes of the connection: `true` gained, `false` lost. */
function record(notices: Notices, channel = 'work') {
  const heard: (string | boolean)[] = [];
  notices.onChange((isConnected) => void heard.push(isConnected));
  notices.on(channel, (payload) => void heard.push(payload));
  return heard;
}

/** A listener over a connection that can be cut. */
async function overALine(options: { silent_ms?: number; change?: (bytes: Buffer) => Buffer } = {}) {
  const { change, ...rest } = options;
  const line = await relayTo(database.to, change);
  const notices = openNotices({ url: line.url }, rest);
  const close = async () => {
    await notices.close();
    await line.cut();
  };
  return { line, notices, close, [Symbol.asyncDispose]: close };
}

describe('notices', () => {
  it('come from other sessions in the order of their commits, to whoever listens', async () => {
    const { notices } = database;
    const heard = record(notices);
    const others: string[] = [];
    await until(notices.isListening);
    const stop = notices.on('Other "channel"', (payload) => void others.push(payload));
    await until(notices.isListening);

    await notify('work', '1');
    await database.db.transaction(async (tx) => {
      await tx`select pg_notify('work', '2'), pg_notify('Other "channel"', 'a'), pg_notify('work', '3')`;
    });
    await until(() => heard.length === 4);
    stop();
    await notify('Other "channel"', 'b');
    await notify('work', '');

    await until(() => heard.length === 5);
    assert.deepEqual(heard, [true, '1', '2', '3', '']);
    assert.deepEqual(others, ['a']);
  });

  it('come to all, also when one who hears them fails', async () => {
    const { notices } = database;
    notices.on('failing', () => {
      throw new Error('I cannot take it.');
    });
    const heard = record(notices, 'failing');
    await until(notices.isListening);

    await notify('failing', 'still');

    await until(() => heard.length === 1);
    assert.deepEqual(heard, ['still']);
  });

  it('are not relied on before a new channel is listened to', async () => {
    const { notices } = database;
    record(notices);
    await until(notices.isListening);

    notices.on('new', () => {});

    assert.equal(notices.isListening(), false);
    await until(notices.isListening);
  });

  it('come again after the line was cut, and whoever hears them is told of both', async () => {
    await using scene = await overALine();
    const { line, notices } = scene;
    const heard = record(notices);
    await until(notices.isListening);

    await line.cut();
    await until(() => heard.length === 2);
    assert.equal(notices.isListening(), false);
    await notify('work', 'lost');
    await line.mend();
    await until(notices.isListening);
    await notify('work', 'heard');

    await until(() => heard.length === 4);
    assert.deepEqual(heard, [true, false, true, 'heard']);
  });

  it('come again after the database ended the session', async () => {
    await using scene = await overALine();
    const { notices } = scene;
    const heard = record(notices);
    for (let round = 1; round <= 5; round += 1) {
      await until(notices.isListening);
      await database.db`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and (query like 'listen%' or query = 'select')
      `;
      await until(() => heard.filter((word) => word === false).length === round);
    }

    await until(notices.isListening);
    await notify('work', 'heard');

    await until(() => heard.includes('heard'));
  });

  it('are not relied on when the line has been silent for a second, though nobody hung up', async () => {
    // The line itself is not given up in this test.
    await using scene = await overALine({ silent_ms: 60_000 });
    const { line, notices } = scene;
    const heard = record(notices);
    await until(notices.isListening);

    line.silence();
    await notify('work', 'lost');
    await until(() => !notices.isListening());

    assert.equal(stalest_ms, 1000);
    assert.deepEqual(heard, [true]);
  });

  it('come over a new line when the old one stays silent', async () => {
    await using scene = await overALine({ silent_ms: 1000 });
    const { line, notices } = scene;
    const heard = record(notices);
    await until(notices.isListening);

    line.silence();
    await until(() => heard.includes(false));
    await until(notices.isListening);
    await notify('work', 'heard');

    await until(() => heard.length === 4);
    assert.deepEqual(heard, [true, false, true, 'heard']);
  });

  it('are heard but not relied on through a connection pooler', async () => {
    // A pooler reports a process id of its own to each client, in the message BackendKeyData.
    const change = (bytes: Buffer) => {
      const at = bytes.indexOf(Buffer.from('4b0000000c', 'hex'));
      if (at >= 0) bytes.writeInt32BE(1, at + 5);
      return bytes;
    };
    await using scene = await overALine({ change });
    const { notices } = scene;
    const heard = record(notices);
    await until(() => heard.length === 1);

    await notify('work', 'heard');

    await until(() => heard.length === 2);
    assert.equal(notices.isListening(), false);
  });

  it('end when they are closed, also where no database ever answered', async () => {
    await using scene = await overALine();
    const { line, notices, close } = scene;
    await line.cut();
    const heard = record(notices);

    await close();

    assert.equal(notices.isListening(), false);
    assert.deepEqual(heard, []);
    await line.mend();
  });
});
