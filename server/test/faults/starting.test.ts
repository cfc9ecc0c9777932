/** Starts that fail or are interrupted: no process is left, and the next start works. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ended, serverEnvironment, spawnServer } from '../installation.ts';
import { until } from '../until.ts';
import { killAll, processesOf } from './processes.ts';

const folders: string[] = [];
after(async () => {
  for (const folder of folders) {
    await killAll(folder);
    await rm(folder, { recursive: true, force: true });
  }
});

async function freshServer(over: Record<string, string> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-starting-'));
  folders.push(dir);
  const lines: string[] = [];
  const env = { ...serverEnvironment(dir), PORT: '0', LOCAL_WORKER: 'off', ...over };
  const start = () => {
    lines.length = 0;
    return spawnServer(env, lines);
  };
  const isReady = () => lines.some((line) => /is ready at/.test(line));
  return { dir, lines, start, isReady };
}

const hasDatabase = async (dir: string) =>
  (await processesOf(dir)).some(({ command }) => /bin\/postgres -D/.test(command));

describe('Ctrl-C while the server starts', () => {
  it('leaves nothing running, and the next start works', async () => {
    const { dir, start, isReady } = await freshServer();
    const first = start();
    await until('the database starts', () => hasDatabase(dir));

    const code = await ended(first, 'SIGINT');

    assert.equal(code, 0);
    assert.deepEqual(await processesOf(dir), []);
    const second = start();
    await until('the server is ready', isReady);
    assert.equal(await ended(second, 'SIGTERM'), 0);
    assert.deepEqual(await processesOf(dir), []);
  });
});

describe('a configuration that cannot work', () => {
  const cases: [Record<string, string>, RegExp][] = [
    [
      { PORT: 'abc', LOG_LEVEL: 'loud' },
      /^PORT must be a whole number .*"abc"\.\nLOG_LEVEL must be/,
    ],
    [{ MASTER_KEY: 'short' }, /^MASTER_KEY must be 32 bytes/],
    [{ DATABASE_URL: 'nonsense' }, /^DATABASE_URL must be a URL that starts with postgres:/],
    [
      { DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/nowhere' },
      /^The database of DATABASE_URL does not answer: connect ECONNREFUSED 127\.0\.0\.1:1\.$/,
    ],
    [
      { DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/nowhere?sslmode=prefer' },
      /^sslmode in DATABASE_URL must be one of disable, require, verify-ca, verify-full\.$/,
    ],
    [{ TRUST_PROXY: '10.0.0.0/8, proxy' }, /^TRUST_PROXY must be addresses or ranges/],
  ];
  for (const [over, sentence] of cases) {
    it(`is told in a sentence: ${Object.keys(over).join(' and ')}`, async () => {
      const { dir, lines, start } = await freshServer(over);

      const [code] = await once(start(), 'close');

      assert.equal(code, 1);
      assert.match(lines.join('\n'), sentence);
      assert.doesNotMatch(lines.join('\n'), /\n +at |secret/);
      assert.deepEqual(await processesOf(dir), []);
    });
  }

  it('is told in a sentence: a folder that another server uses', async () => {
    const { dir, lines, start, isReady } = await freshServer();
    const first = start();
    await until('the server is ready', isReady);

    const [code] = await once(start(), 'close');

    assert.equal(code, 1);
    assert.match(lines.at(-1) ?? '', /^Another Cogworks process \(\d+\) uses .*DATA_DIR/);
    assert.equal(await ended(first, 'SIGTERM'), 0);
    assert.deepEqual(await processesOf(dir), []);
  });
});

describe('a server whose port is taken', () => {
  it('says so in a sentence and leaves nothing running', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { dir, lines, start } = await freshServer({ PORT: String(port) });

    const server = start();
    const [code] = await once(server, 'close');
    other.close();

    assert.equal(code, 1);
    assert.equal(
      lines.at(-1),
      `Port ${port} is in use. Stop what uses it, or set PORT to another.`,
    );
    assert.deepEqual(await processesOf(dir), []);
  });
});
