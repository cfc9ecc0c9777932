/** The role `serve`: everything in one process group; what `npm start` starts. */
import type { AddressInfo } from 'node:net';
import { buildApp } from '../app.ts';
import type { Config } from '../config.ts';
import { type Services, Wakeups } from '../services.ts';
import { diskStorage } from '../storage/disk.ts';
import { makeLog, openDatabase, prepareDatabase } from './parts.ts';

export async function serve(config: Config): Promise<void> {
  const log = makeLog(config);
  const database = await openDatabase(config, log);
  const { db } = database;
  const keys = await prepareDatabase(config, db);

  let baseUrl = config.base_url;
  const url = () => baseUrl ?? `http://${config.host}:${config.port}`;
  const storage = await diskStorage(config.storage_dir, keys.derive('presigned-url'), url);
  const services: Services = {
    config,
    db,
    storage,
    keys,
    log,
    baseUrl: url,
    wakeups: new Wakeups(),
  };

  const { http: app } = await buildApp(services);
  await app.listen({ host: config.host, port: config.port });
  baseUrl ??= `http://${config.host}:${(app.server.address() as AddressInfo).port}`;
  console.log(`Cogworks is ready at ${baseUrl}`);

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await app.close();
    await database.close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}
