/** Starts that fail or are interrupted: nothing is left running, and the next one works. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ended, serverEnvironment, spawnServer, until } from '../installation.ts';
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
