/**
 * The private registry of the demo's images. `npm start` keeps it running; for a server started in
 * another way, or elsewhere, the demo itself runs it until it ends.
 */

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@cogworks/cli/problem';
import { size } from '@cogworks/cli/words';
import { type BuiltImage, documentsImage, pushImage } from '../containers/images.ts';
import { answers, type Registry, startRegistry } from '../containers/registry.ts';
import { ensureTestTools } from '../containers/setup.ts';
import { makeSettings, type RegistrySettings, readSettings } from './registry-settings.ts';

/** For a server whose data is not on this machine. */
const ownFolder = join(import.meta.dirname, '../../.cache/demo');
/** How long a registry started by `npm start` may take to answer. */
const keeperWait_ms = 10_000;

export async function getTools(note: (text: string) => void): Promise<BuiltImage> {
  const tools = await ensureTestTools({ install: true, log: note });
  if (!tools.ready) {
    throw new Problem(
      `The demo needs a container engine and a registry. ${tools.problem ?? ''}\nType this, then start it again:\n\n    ${tools.remedy ?? ''}`,
    );
  }
  return documentsImage(note).catch((cause: unknown) => {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new Problem(said, { cause });
  });
}

export type DemoRegistry = {
  registry: Pick<Registry, 'server' | 'credentials'>;
  /** Name of the image, to be given to nodes together with its digest. */
  image: string;
  digest: string;
  words: string;
  /** Whether it keeps running after the demo. */
  isKept: boolean;
  stop(): Promise<void>;
};

/** @param dataDir the server's, where it is on this machine. */
export async function openRegistry(built: BuiltImage, dataDir: string): Promise<DemoRegistry> {
  const home = existsSync(dataDir) ? dataDir : ownFolder;
  await mkdir(home, { recursive: true });
  const known = await readSettings(home);
  const { registry, isKept } = known
    ? await bringUp(known, home === dataDir)
    : // Something else may take the port between the look at it and the start.
      await bringUp(await makeSettings(home), home === dataDir).catch(async () =>
        bringUp(await makeSettings(home, 0), home === dataDir),
      );
  try {
    const { server, credentials } = registry;
    const target = { server, repository: 'demo/documents', tag: '1' };
    const digest = await pushImage(built, target, credentials);
    const image = `${server}/${target.repository}:${target.tag}`;
    const words = `${image}, ${size(built.size)}`;
    return { registry, image, digest, words, isKept, stop: registry.stop };
  } catch (error) {
    await registry.stop();
    throw error;
  }
}

async function bringUp(settings: RegistrySettings, mayBeKept: boolean) {
  const isKept = mayBeKept && (await isKeptRunning(settings));
  return { isKept, registry: isKept ? reach(settings) : await startOwn(settings) };
}

const reach = ({ port, credentials }: RegistrySettings) => ({
  server: `127.0.0.1:${port}`,
  credentials,
  stop: async () => {},
});

async function isKeptRunning(settings: RegistrySettings): Promise<boolean> {
  const registry = reach(settings);
  for (const deadline = Date.now() + keeperWait_ms; Date.now() < deadline; await sleep(100)) {
    if (await answers(registry)) return true;
  }
  return false;
}

async function startOwn(settings: RegistrySettings): Promise<Registry> {
  return startRegistry(settings).catch((cause: unknown) => {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new Problem(
      `${said}\nStop what uses port ${settings.port}, or delete ${settings.folder}.json to let the demo choose another.`,
      { cause },
    );
  });
}
