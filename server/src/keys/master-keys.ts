/**
 * Where the master key is stored: the environment, or a file in the data folder. During a rotation
 * the next key has a file of its own, and both keys are known until it is done.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import { link, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';

export type MasterKey = { id: string; key: Buffer };

export const masterKeyFile = (config: Config) => join(config.data_dir, 'master.key');

/** The file of the next key, until everything is sealed with it. */
export const newMasterKeyFile = (config: Config) => `${masterKeyFile(config)}.new`;

/** Identifies a key without revealing anything about it. */
export const masterKeyOf = (key: Buffer): MasterKey => ({
  id: Buffer.from(hkdfSync('sha256', key, '', 'master-key-id', 8)).toString('hex'),
  key,
});

/** The master keys that a process knows. */
export class MasterKeys {
  readonly #config: Config;
  readonly #known = new Map<string, MasterKey>();

  constructor(config: Config) {
    this.#config = config;
  }

  /** The key from the environment or from the file, which is created if there is none. */
  async present(): Promise<MasterKey> {
    const { master_key } = this.#config;
    if (master_key !== undefined) return this.#learn(parseMasterKey(master_key));
    await createKeyFile(masterKeyFile(this.#config));
    await this.read();
    return this.#learn(parseMasterKey(await readFile(masterKeyFile(this.#config), 'utf8')));
  }

  /** The key with that id; the files are read again if it is not known. */
  async find(id: string): Promise<MasterKey | undefined> {
    if (!this.#known.has(id)) await this.read();
    return this.#known.get(id);
  }

  /** All known keys, for values without an id. */
  all(): MasterKey[] {
    return [...this.#known.values()];
  }

  /** Adds the keys that are in the files now; known keys are kept. */
  async read(): Promise<void> {
    if (this.#config.master_key !== undefined) return;
    // In this order, because the next key moves to the other file and could be missed otherwise.
    for (const key of [await nextKey(this.#config), await keyIn(masterKeyFile(this.#config))]) {
      if (key) this.#known.set(key.id, key);
    }
  }

  #learn(key: Buffer): MasterKey {
    const master = masterKeyOf(key);
    this.#known.set(master.id, master);
    return master;
  }
}

/**
 * The key in a file; undefined if there is no such file. @throws ConfigError if it holds no key.
 */
export async function keyIn(file: string): Promise<MasterKey | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : masterKeyOf(parseMasterKey(text));
}

/** The next key, if there is one. A file without a valid key was never used for sealing. */
export const nextKey = (config: Config) =>
  keyIn(newMasterKeyFile(config)).catch((error: unknown) => {
    if (error instanceof ConfigError) return undefined;
    throw error;
  });

/** Writes a key to a file, atomically replacing its content, and syncs it to disk. */
export async function writeKey(file: string, { key }: MasterKey): Promise<void> {
  const fresh = await written(file, key);
  await rename(fresh, file);
  await syncFolder(dirname(file));
}

export async function removeKey(file: string): Promise<void> {
  await unlink(file);
  await syncFolder(dirname(file));
}

/** Of several concurrent first starts one creates the key, and all read it whole. */
async function createKeyFile(file: string) {
  if ((await keyIn(file)) !== undefined) return;
  const fresh = await written(file, randomBytes(32));
  await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(fresh);
  await syncFolder(dirname(file));
}

/** Writes the key to a temporary file. @returns its path. */
async function written(file: string, key: Buffer): Promise<string> {
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(fresh, 'wx', 0o600);
  await handle.writeFile(key.toString('base64'));
  await handle.sync();
  await handle.close();
  return fresh;
}

async function syncFolder(path: string) {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}

/** @throws ConfigError unless `text` is 32 bytes as 64 hexadecimal digits or base64. */
export function parseMasterKey(text: string): Buffer {
  const trimmed = text.trim();
  const key = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : Buffer.from(trimmed, 'base64');
  if (key.length !== 32) {
    throw new ConfigError('MASTER_KEY must be 32 bytes, as 64 hexadecimal digits or as base64.');
  }
  return key;
}
