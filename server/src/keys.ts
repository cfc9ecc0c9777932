/**
 * The installation's keys and the sealing of what must not be readable in the database.
 * MASTER_KEY seals one installation key and one key per tenant; those seal everything else.
 * So rotating the master key re-seals a handful of rows, and a stolen database says nothing.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from './config.ts';
import type { Db } from './db/connection.ts';

const version = 1;

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce. `context` is authenticated, not
 * stored: a sealed value moved to another row or tenant does not open there.
 */
export function seal(key: Buffer, plain: Buffer | string, context: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), text]);
}

/** @throws Error when the key, the context or a single bit is not what was sealed. */
export function open(key: Buffer, sealed: Uint8Array, context: string): Buffer {
  const bytes = Buffer.from(sealed);
  if (bytes[0] !== version || bytes.length < 29) throw new Error('Not a sealed value.');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 13));
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(13, 29));
  return Buffer.concat([decipher.update(bytes.subarray(29)), decipher.final()]);
}

export type Keys = {
  /** Identifies the installation, for example in the labels of its containers. */
  readonly installation_id: string;
  /** A 32-byte key for one use, for example `derive('cursor')`; the same at every start. */
  derive(use: string): Buffer;
  /** Seals what belongs to the installation; `context` names its place. */
  seal(plain: Buffer | string, context: string): Buffer;
  open(sealed: Uint8Array, context: string): Buffer;
  /** A fresh tenant's key, sealed for `tenants.sealed_key`. */
  newTenantKey(): Buffer;
  /** Opens `tenants.sealed_key`, for secrets of that tenant. */
  tenantKey(db: Db, tenantId: number): Promise<Buffer>;
};

/**
 * Reads the master key and opens the installation with it; the first start makes both.
 *
 * @throws ConfigError when the master key is malformed or does not fit the stored data.
 */
export async function openKeys(config: Config, db: Db): Promise<Keys> {
  let master = await masterKey(config);
  await db`
    insert into installation (sealed_key)
    values (${seal(master, randomBytes(32), 'installation')})
    on conflict do nothing
  `;
  const [row] = await db<{ installation_id: string; sealed_key: Uint8Array }[]>`
    select installation_id, sealed_key from installation
  `;
  if (!row) throw new Error('The installation has no row.');
  if (!fits(master, row.sealed_key)) master = (await finishRotation(config, row)) ?? master;
  const key = openWithMaster(master, row.sealed_key);

  return {
    installation_id: row.installation_id,
    derive: (use) => Buffer.from(hkdfSync('sha256', key, '', use, 32)),
    seal: (plain, context) => seal(key, plain, context),
    open: (sealed, context) => open(key, sealed, context),
    newTenantKey: () => seal(master, randomBytes(32), 'tenant'),
    tenantKey: async (tx, tenantId) => {
      const [tenant] = await tx<{ sealed_key: Uint8Array }[]>`
        select sealed_key from tenants where id = ${tenantId}
      `;
      if (!tenant) throw new Error(`Tenant ${tenantId} has no key.`);
      return open(master, tenant.sealed_key, 'tenant');
    },
  };
}

function fits(master: Buffer, sealed: Uint8Array) {
  try {
    open(master, sealed, 'installation');
    return true;
  } catch {
    return false;
  }
}

function openWithMaster(master: Buffer, sealed: Uint8Array) {
  try {
    return open(master, sealed, 'installation');
  } catch (cause) {
    throw new ConfigError(
      'MASTER_KEY does not fit the stored data. Start with the key this database was made with (DATA_DIR/master.key, or the MASTER_KEY of that time).',
      { cause },
    );
  }
}

/**
 * Seals the installation's and every tenant's key with `next` instead of the present master
 * key, in one transaction. Running servers keep what they opened; restart them afterwards.
 */
export async function rotateMasterKey(config: Config, db: Db, next: Buffer): Promise<void> {
  const master = await masterKey(config);
  await db.transaction(async (tx) => {
    const [row] = await tx<
      { sealed_key: Uint8Array }[]
    >`select sealed_key from installation for update`;
    if (!row)
      throw new Error('There is nothing to rotate yet: the installation was never started.');
    const key = openWithMaster(master, row.sealed_key);
    await tx`update installation set sealed_key = ${seal(next, key, 'installation')}`;
    const tenants = await tx<{ id: number; sealed_key: Uint8Array }[]>`
      select id, sealed_key from tenants order by id for update
    `;
    for (const tenant of tenants) {
      const resealed = seal(next, open(master, tenant.sealed_key, 'tenant'), 'tenant');
      await tx`update tenants set sealed_key = ${resealed} where id = ${tenant.id}`;
    }
  });
}

export const masterKeyFile = (config: Config) => join(config.data_dir, 'master.key');

/** Where the next key waits until everything is sealed with it. */
export const newMasterKeyFile = (config: Config) => `${masterKeyFile(config)}.new`;

/** The key of a rotation that was killed between sealing and taking the old key's place. */
async function finishRotation(config: Config, { sealed_key }: { sealed_key: Uint8Array }) {
  if (config.master_key !== undefined) return undefined;
  const text = await readFile(newMasterKeyFile(config), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const key = parseMasterKey(text);
  if (!fits(key, sealed_key)) return undefined;
  await rename(newMasterKeyFile(config), masterKeyFile(config)).catch(() => {});
  return key;
}

async function masterKey(config: Config): Promise<Buffer> {
  if (config.master_key !== undefined) return parseMasterKey(config.master_key);
  const file = masterKeyFile(config);
  // `wx`: of two first starts one writes, and both read what it wrote.
  await writeFile(file, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return parseMasterKey(await readFile(file, 'utf8'));
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
