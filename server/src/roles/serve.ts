/** The role `serve`: everything in one process group; what `npm start` starts. */
import type { AddressInfo } from 'node:net';
import { buildApp } from '../app.ts';
import type { Config } from '../config.ts';
import { startEngine } from '../engine/loop.ts';
import { makeLog } from '../log.ts';
import { type Services, Wakeups } from '../services.ts';
import { diskStorage } from '../storage/disk.ts';
import { setUpFirstAdmin, welcome } from './first-start.ts';
import { startLocalWorker } from './local-worker.ts';
import { openDatabase, prepareDatabase } from './parts.ts';

export async function serve(config: Config): Promise<void> {
  const log = makeLog(config.log_level);
  const database = await openDatabase(config, log);
  const { db } = database;
  const keys = await prepareDatabase(config, db);
  const firstAdmin = await setUpFirstAdmin(config, db, keys);

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
  const { port } = app.server.address() as AddressInfo;
  baseUrl ??= `http://${config.host}:${port}`;
  const engine = startEngine(services);
  const worker = config.local_worker ? await startLocalWorker(services, port) : undefined;
  console.log(`Cogworks is ready at ${baseUrl}`);
  if (firstAdmin) console.log(welcome(firstAdmin, baseUrl));

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    // The worker first: it gives back what it holds, for which it needs the rest.
    await worker?.stop();
    await app.close();
    await engine.stop();
    await database.close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}
