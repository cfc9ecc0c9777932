/** The role `engine`: only what makes runs progress, beside other servers on the same database. */
import type { Config } from '../config.ts';
import { ConfigError } from '../config.ts';
import { startEngine } from '../engine/loop.ts';
import { holdMasterKey } from '../keys/holders.ts';
import { makeLog } from '../log.ts';
import { requireOwnStorage } from '../storage/own-storage.ts';
import { makeServices, openDatabase, prepareDatabase } from './parts.ts';
import { type Stops, untilStopped } from './stopping.ts';

export function runEngine(config: Config): Promise<void> {
  return untilStopped((stops) => start(config, stops));
}

async function start(config: Config, stops: Stops): Promise<void> {
  if (!config.database_url) {
    throw new ConfigError(
      'The role engine needs DATABASE_URL: the embedded database is run by `serve`, with an engine of its own.',
    );
  }
  const log = makeLog(config.log_level);
  const database = await openDatabase(config, log);
  stops.push(database.close);
  const { close: _, ...pools } = database;
  const keys = await prepareDatabase(config, pools.db, log);
  stops.push((await holdMasterKey({ config, db: pools.db, keys, log }, 'engine')).stop);
  const baseUrl = () => config.base_url ?? `http://${config.host}:${config.port}`;
  const services = await makeServices({ config, pools, keys, log, baseUrl });
  if (services.traces) stops.push(services.traces.close);
  await requireOwnStorage(pools.db, services.storage, false);
  stops.push(startEngine(services).stop);
  console.log('The Cogworks engine is ready.');
}
