/** The role `serve`: everything in one process group; `npm start` starts it. */
import type { AddressInfo } from 'node:net';
import { buildApp } from '../app.ts';
import { type Config, ConfigError } from '../config.ts';
import { startEngine } from '../engine/loop.ts';
import { startImageBuilder } from '../images/builder.ts';
import { holdMasterKey } from '../keys/holders.ts';
import { makeLog } from '../log.ts';
import { keepOwnRegistry } from '../resources/secrets/secrets.ts';
import { strandedUsers } from '../resources/users/issuers.ts';
import { keepShippedTemplates } from '../resources/workflow-templates/shipped/shipped.ts';
import { requireOwnStorage } from '../storage/own-storage.ts';
import { isEverywhere, localUrl } from './address.ts';
import { setUpFirstAdmin, welcome } from './first-start.ts';
import { startLocalWorker } from './local-worker.ts';
import { makeServices, openDatabase, prepareDatabase } from './parts.ts';
import { collectStartupGarbage } from './startup-garbage.ts';
import { type Stops, untilStopped } from './stopping.ts';

export function serve(config: Config): Promise<void> {
  return untilStopped((stops) => start(config, stops));
}

async function start(config: Config, stops: Stops): Promise<void> {
  const log = makeLog(config.log_level);
  const database = await openDatabase(config, log);
  stops.push(database.close);
  const { close: _, ...pools } = database;
  const { db } = pools;
  const keys = await prepareDatabase(config, db, log);
  stops.push((await holdMasterKey({ config, db, keys, log }, 'serve')).stop);
  const firstAdmin = await setUpFirstAdmin(config, db, keys);

  let baseUrl = config.base_url;
  const url = () => baseUrl ?? localUrl(config.host, config.port);
  const services = await makeServices({ config, pools, keys, log, baseUrl: url });
  if (services.traces) stops.push(services.traces.close);
  await requireOwnStorage(db, services.storage, true);

  const { http: app } = await buildApp(services);
  stops.push(() => app.close());
  await app.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
    throw portProblem(config, error);
  });
  const { port } = app.server.address() as AddressInfo;
  if (!baseUrl && isEverywhere(config.host))
    log.warn('Others can sign in only when BASE_URL is set to the URL they use.');
  baseUrl ??= localUrl(config.host, port);
  await keepOwnRegistry(db, baseUrl);
  await keepShippedTemplates(db);
  for (const stranded of await strandedUsers(db, config.oidc?.issuer))
    log.warn(stranded, 'users of a former identity provider cannot sign in: see move-issuer');
  stops.push(startImageBuilder(services).stop);
  stops.push(startEngine(services).stop);
  // Stopped first: it gives its work back, for which it needs all other parts.
  if (config.local_worker) stops.push((await startLocalWorker(services, port)).stop);
  collectStartupGarbage();
  console.log(`Cogworks is ready at ${baseUrl}`);
  if (firstAdmin) console.log(welcome(firstAdmin, baseUrl));
}

function portProblem({ host, port }: Config, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new ConfigError(`Port ${port} is in use. Stop what uses it, or set PORT to another.`);
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return new ConfigError(`HOST ${host} with PORT ${port} cannot be listened on (${code}).`);
  return error;
}
