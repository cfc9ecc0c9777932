/** The real server on its own database, listening on a free port: once per test file. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { type App, buildApp } from '../src/app.ts';
import { type Config, readConfig } from '../src/config.ts';
import type { ConnectTo, OnSend } from '../src/db/connection.ts';
import type { Notices } from '../src/db/notices.ts';
import { openKeys } from '../src/keys/keys.ts';
import { type Limits, usualLimits } from '../src/limits.ts';
import { keepOwnRegistry } from '../src/resources/secrets/secrets.ts';
import { makeServices } from '../src/roles/parts.ts';
import type { Services } from '../src/services.ts';
import { cloneDatabase, openTo, type TestDatabase } from './database.ts';
import { atEndOfFile } from './end-of-file.ts';
import { storageSettings } from './storage.ts';

export type TestServer = App & {
  url: string;
  services: Services;
  /** The connection parameters of its database. */
  to: ConnectTo;
  /** Listeners for every statement it sends (statements.ts). */
  listeners: Set<OnSend>;
  stop(): Promise<void>;
  /** Registers clean-up of what a test has started on the server; last registered, first run. */
  beforeStop(work: () => Promise<unknown>): void;
};

/** Environment of test servers: no rate limits, except in tests about them. */
const environment = {
  PORT: '0',
  RATE_LIMIT_DEFAULT: '0',
  RATE_LIMIT_UPLOAD: '0',
  RATE_LIMIT_HEARTBEAT: '0',
  LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
};

const running: (() => Promise<void>)[] = [];
atEndOfFile(async () => {
  shared = undefined;
  await Promise.all(running.splice(0).map((stop) => stop()));
});

/** Limits of a server, for tests about them and for several processes. */
type Tuning = {
  patience?: Parameters<typeof cloneDatabase>[0];
  limits?: Partial<Limits>;
  /** Another server whose database, data and URL it shares, as one more process. */
  beside?: TestServer;
  /** Its database, instead of a fresh clone. */
  database?: TestDatabase;
  /** Its source of notices from the others. */
  notices?: Notices;
  /** The address of this machine where it listens, which is in its URL. */
  host?: string;
};

/** Starts a server; it is stopped and its data removed after the file's tests. */
export async function startServer(
  env: Record<string, string> = {},
  log?: Logger,
  { patience, limits, beside, database: given, notices, host = '127.0.0.1' }: Tuning = {},
): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cogworks-test-'));
  const config: Config =
    beside?.services.config ??
    readConfig({
      ...environment,
      DATA_DIR: dataDir,
      ...storageSettings(dataDir),
      MASTER_KEY: randomBytes(32).toString('hex'),
      ...env,
    });
  const database = given ?? (beside ? openTo(beside.to, patience) : await cloneDatabase(patience));
  const { drop, to, listeners, ...pools } = database;
  const keys = await openKeys(config, pools.db);
  let url = '';
  const baseUrl = () => beside?.url ?? url;
  const services = await makeServices({
    config,
    pools: { ...pools, ...(notices && { notices }) },
    keys,
    log: log ?? pino({ level: config.log_level }),
    baseUrl,
    limits: { ...usualLimits, ...limits },
  });
  const app = await buildApp(services);
  // The provider's issuer is its URL, so the port must be known before the first request.
  const port = await listen(app, host);
  url = `http://${host}:${port}`;
  // A given database may be as an earlier release has left it.
  if (!given) await keepOwnRegistry(pools.db, baseUrl());

  const before: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const work of before.reverse()) await work();
    await app.http.close();
    ports.push(port);
    await drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  running.push(stop);
  return {
    ...app,
    url,
    services,
    to,
    listeners,
    stop,
    beforeStop: (work) => void before.push(work),
  };
}

/**
 * Ports of servers that have stopped. The next one gets the last of them: a browser has compiled the
 * dashboard for that address already, which saves a second of a processor.
 */
const ports: number[] = [];

async function listen({ http }: App, host: string): Promise<number> {
  await http.listen({ host, port: ports.pop() ?? 0 }).catch((error: NodeJS.ErrnoException) => {
    // Another program of the machine has taken it meanwhile.
    if (error.code !== 'EADDRINUSE') throw error;
    return http.listen({ host, port: 0 });
  });
  return (http.server.address() as AddressInfo).port;
}

let shared: Promise<TestServer> | undefined;

/** The file's shared server; tests are isolated by tenant, like customers. */
export function testServer(): Promise<TestServer> {
  shared ??= startServer();
  return shared;
}
