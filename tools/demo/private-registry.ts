/** The registry with a password that the demo runs while it lasts, and the image in it. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuiltImage, documentsImage, pushImage } from '../containers/images.ts';
import { type Registry, startRegistry } from '../containers/registry.ts';
import { ensureTestTools } from '../containers/setup.ts';
import { Problem } from './problem.ts';
import { size } from './terminal.ts';

/** Always the same where it is free: the address is part of the image's name, and so of the nodes. */
const preferredPort = 5959;
const storeFolder = join(import.meta.dirname, '../../.cache/demo-registry');

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
  registry: Registry;
  /** Name of the image, to be given to nodes together with its digest. */
  image: string;
  digest: string;
  words: string;
  stop(): Promise<void>;
};

export async function openRegistry(built: BuiltImage): Promise<DemoRegistry> {
  const isFree = await isPortFree(preferredPort);
  const folder = isFree ? storeFolder : await mkdtemp(join(tmpdir(), 'demo-registry-'));
  const registry = await startRegistry({ folder, ...(isFree ? { port: preferredPort } : {}) });
  const stop = async () => {
    await registry.stop();
    if (!isFree) await rm(folder, { recursive: true, force: true });
  };
  try {
    const { server, credentials } = registry;
    const target = { server, repository: 'demo/documents', tag: '1' };
    const digest = await pushImage(built, target, credentials);
    const image = `${server}/${target.repository}:${target.tag}`;
    return { registry, image, digest, words: `${image}, ${size(built.size)}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
