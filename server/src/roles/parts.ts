/** Builds the parts that every role needs, and stops them in reverse order. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config.ts';
import { type Connection, connect } from '../db/connection.ts';
import { type EmbeddedPostgres, runningEmbedded, startEmbedded } from '../db/embedded.ts';
import { checkNaturalOrder, migrate } from '../db/migrate.ts';
import { openPools, type Pools } from '../db/pools.ts';
import { Rounds } from '../engine/rounds/rounds.ts';
import { Gate } from '../gate.ts';
import { type Keys, openKeys } from '../keys/keys.ts';
import { usualLimits } from '../limits.ts';
import { openMetrics } from '../metrics.ts';
import { openOutbound } from '../outbound/outbound.ts';
import type { Services } from '../services.ts';
import { diskStorage } from '../storage/disk.ts';
import { openTraces } from '../traces/open.ts';
import { Turns } from '../turns.ts';

export type Database = Pools & { close(): Promise<void> };

/**
 * Opens the database: an external one, or the embedded one, which is started first. With `share`,
 * an embedded one that a server already runs on this data folder is used.
 */
export async function openDatabase(
  config: Config,
  log: Logger,
  { share = false } = {},
): Promise<Database> {
  await mkdir(config.data_dir, { recursive: true, mode: 0o700 });
  if (config.database_url) {
    const pools = openPools({ url: config.database_url }, { log });
    await pools.db`select 1`.catch(async (cause: unknown) => {
      await pools.close();
      throw new ConfigError(
        `The database of DATABASE_URL does not answer: ${(cause as Error).message}.`,
        {
          cause,
        },
      );
    });
    return pools;
  }
  const dir = join(config.data_dir, 'postgres');
  const running = share ? await runningEmbedded(dir) : undefined;
  if (running) return openPools(running('cogworks'), { log });
  const server = await startEmbedded(dir, {
    onEnd: (reason, pause_ms) =>
      log.error(
        { pause_ms },
        `PostgreSQL ended (${reason}) and is started again; ${dir}/log and ${dir}/postgres.log say more`,
      ),
  });
  await createDatabase(server, 'cogworks');
  const pools = openPools(server.at('cogworks'), { log });
  return {
    ...pools,
    close: async () => {
      await pools.close();
      await server.stop();
    },
  };
}

async function createDatabase(server: EmbeddedPostgres, name: string) {
  const postgres = connect(server.at('postgres'), { max: 1 });
  const [found] = await postgres`select from pg_database where datname = ${name}`;
  if (!found) await postgres.script(`create database ${name}`);
  await postgres.close();
}

/** Migrates and opens the keys. */
export async function prepareDatabase(config: Config, db: Connection, log: Logger): Promise<Keys> {
  await migrate(db, log);
  return openKeys(config, db);
}

/** The services that a process passes to its slices, its engine and its duties. */
export async function makeServices({
  pools,
  ...given
}: Pick<Services, 'config' | 'keys' | 'log' | 'baseUrl'> & {
  pools: Pools;
  limits?: Services['limits'];
}): Promise<Services> {
  const storage = await openStorage(given);
  const limits = given.limits ?? usualLimits;
  const metrics = openMetrics();
  const { config, keys, log } = given;
  const traces = await openTraces(config.traces, keys.installation_id, log);
  // The first connection comes soon after the migration, which has checked it.
  let wasLost = false;
  pools.notices.onChange((isConnected) => {
    if (isConnected && wasLost)
      checkNaturalOrder(pools.db, given.log).catch((err: unknown) =>
        given.log.error({ err }, 'the order of names could not be checked'),
      );
    wasLost = !isConnected;
  });
  return {
    ...given,
    limits,
    largeWrites: new Turns(limits.large_writes),
    ...pools,
    storage,
    rounds: new Rounds(pools, { log, keys, storage, metrics, traces }),
    sameKey: new Gate(),
    metrics,
    traces,
    outbound: openOutbound(given.config.outbound_allow),
  };
}

/** Opens the storage that the configuration names. */
export async function openStorage({
  config,
  keys,
  baseUrl,
}: Pick<Services, 'config' | 'keys' | 'baseUrl'>): Promise<Services['storage']> {
  if (config.s3) {
    // It brings the SDK, 34 MB in memory, which an installation on disk does not need.
    const { s3Storage } = await import('../storage/s3/s3.ts');
    return s3Storage(config.s3);
  }
  return diskStorage(config.storage_dir, keys.derive('presigned-url'), baseUrl, {
    reserve_bytes: config.disk_reserve_bytes,
  });
}
