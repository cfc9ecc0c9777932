/**
 * The server's OpenAPI document: from the real application on its own database, by an injected
 * request, without listening.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';
import { runningEmbedded, startEmbedded } from '../../server/src/db/embedded.ts';
import { openKeys } from '../../server/src/keys/keys.ts';
import { makeServices } from '../../server/src/roles/parts.ts';
import { cloneDatabase, testPostgresDir } from '../../server/test/database.ts';
import { throwAwaySettings } from '../test-settings.ts';
import type { OpenApi } from './generate.ts';

/** @returns the contents of `/openapi.json`, without the host. */
export async function describeServer(): Promise<OpenApi> {
  await using _postgres = await ensurePostgres();
  const { drop, to: _, ...pools } = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'cogworks-contract-'));
  try {
    const config = readConfig({
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      MASTER_KEY: randomBytes(32).toString('hex'),
    });
    const keys = await openKeys(config, pools.db);
    const baseUrl = () => 'http://localhost';
    const log = pino({ level: 'silent' });
    const { http } = await buildApp(await makeServices({ config, pools, keys, log, baseUrl }));
    const answer = await http.inject('/openapi.json');
    await http.close();
    const { servers: __, ...document } = answer.json();
    return document as OpenApi;
  } finally {
    await drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The tests' PostgreSQL: shared if it runs, otherwise started for this purpose. */
async function ensurePostgres(): Promise<AsyncDisposable> {
  if (process.env.DATABASE_URL || (await runningEmbedded(testPostgresDir))) {
    return { [Symbol.asyncDispose]: async () => {} };
  }
  const server = await startEmbedded(testPostgresDir, { settings: throwAwaySettings });
  return { [Symbol.asyncDispose]: () => server.stop() };
}
