import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '../../test/until.ts';
import { connect } from './connection.ts';
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts';

describe('the log of the embedded database', () => {
  let dir: string;
  let server: EmbeddedPostgres;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'cogworks-embedded-'));
    server = await startEmbedded(dir, { settings: { fsync: 'off' } });
  });
  after(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('is a file for each day of the week, begun anew a week later', async () => {
    const db = connect(server.at('postgres'), { max: 1 });
    await assert.rejects(db`select 1 / 0`);
    const settings = await db<{ setting: string }[]>`
      select setting from pg_settings
      where name in ('log_rotation_age', 'log_rotation_size', 'log_truncate_on_rotation')
      order by name
    `;
    const [log] = await until('it is written', async () => {
      const written = await db<{ file: string }[]>`
        select pg_current_logfile() as file
        where pg_read_file(pg_current_logfile()) like '%division by zero%'
      `;
      return written.length > 0 && written;
    });
    await db.close();

    assert.equal(dirname(log?.file ?? ''), join(dir, 'log'));
    assert.match(basename(log?.file ?? ''), /^postgres-(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.log$/);
    assert.deepEqual(
      settings.map(({ setting }) => setting),
      ['1440', '0', 'on'],
    );
  });

  it('tells why the database does not start, before and after it can write there', async () => {
    await server.stop();
    const because = async (settings: Record<string, string>, reason: RegExp) =>
      assert.rejects(startEmbedded(dir, { settings }), (error: Error) => {
        assert.match(error.message, reason);
        return true;
      });

    await because({ shared_buffers: 'many' }, /invalid value for parameter "shared_buffers"/);
    await because({ unix_socket_directories: join(dir, 'none') }, /could not create/);
    server = await startEmbedded(dir, { settings: { fsync: 'off' } });
  });
});
