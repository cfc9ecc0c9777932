/**
 * The address and password of the demo's registry: created once per data folder, because the
 * address is part of every image's name, and stored there for the server's next start.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Credentials } from '../containers/registry.ts';

/** In the data folder. */
export const settingsFile = 'demo-registry.json';

type Settings = { port: number; username: string; password: string };

/** How the registry is started. */
export type RegistrySettings = { folder: string; port: number; credentials: Credentials };

const preferredPort = 5959;

/** @returns nothing where no demo has run. */
export async function readSettings(dataDir: string): Promise<RegistrySettings | undefined> {
  const text = await readFile(join(dataDir, settingsFile), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  return from(dataDir, JSON.parse(text) as Settings);
}

/** @param wanted the preferred port; 0 takes any. */
export async function makeSettings(
  dataDir: string,
  wanted = preferredPort,
): Promise<RegistrySettings> {
  const port = await freePort(wanted).catch(() => freePort(0));
  const password = randomBytes(18).toString('base64url');
  const settings: Settings = { port, username: 'cogworks', password };
  // Renamed into place, so that it is never read partially.
  const unfinished = join(dataDir, `.${settingsFile}`);
  await writeFile(unfinished, JSON.stringify(settings), { mode: 0o600 });
  await rename(unfinished, join(dataDir, settingsFile));
  return from(dataDir, settings);
}

const from = (dataDir: string, { port, ...credentials }: Settings): RegistrySettings => ({
  folder: join(dataDir, 'demo-registry'),
  port,
  credentials,
});

/** @throws when the port is in use; 0 takes any. */
async function freePort(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}
