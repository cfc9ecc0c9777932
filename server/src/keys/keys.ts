/**
 * The installation's keys. MASTER_KEY seals one installation key and one key per tenant; those seal
 * everything else. So rotating the master key re-seals only these rows, and a stolen database
 * reveals nothing. Each row also stores the id of the master key that sealed it.
 */
import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { type Config, ConfigError } from '../config.ts';
import type { Db } from '../db/connection.ts';
import type { Tag } from '../db/statement.ts';
import { type MasterKey, MasterKeys } from './master-keys.ts';
import {
  addInstallation,
  findInstallation,
  findTenantKey,
  keepInstallation,
  nameInstallationKey,
  type Sealed,
} from './queries.ts';
import { finishRotation } from './rotation.ts';
import { fits, open, seal } from './sealing.ts';

export type Keys = {
  /** Identifies the installation, for example in the labels of its containers. */
  readonly installation_id: string;
  /** A 32-byte key for one use, for example `derive('presigned-url')`; the same at every start. */
  derive(use: string): Buffer;
  /** The key that seals list cursors. */
  readonly cursor: KeyObject;
  /** Seals a value of the installation; `context` names where it is stored. */
  seal(plain: Buffer | string, context: string): Buffer;
  open(sealed: Uint8Array, context: string): Buffer;
  /** A new tenant's key, sealed for its row, which must be written in this transaction. */
  newTenantKey(tx: Db): Promise<Required<Sealed>>;
  /**
   * Blocks rotations until the transaction ends.
   *
   * @throws ConfigError if the master key was replaced by one this process has no access to.
   */
  requireMasterKey(tx: Db): Promise<MasterKey>;
  /** Opens a tenant's key, for that tenant's secrets. */
  tenantKey(db: Tag, tenantId: number): Promise<KeyObject>;
};

/**
 * Reads the master key and opens the installation with it; the first start creates both.
 *
 * @throws ConfigError if the master key is malformed or does not fit the stored data.
 */
export async function openKeys(config: Config, db: Db): Promise<Keys> {
  const masters = new MasterKeys(config);
  const first = await masters.present();
  const sealed_key = seal(first.key, randomBytes(32), 'installation');
  await addInstallation(db, { sealed_key, sealed_with: first.id });
  await finishRotation(config, db);
  const row = await findInstallation(db);
  const master = await sealerOf(masters, row, 'installation');
  if (!master || !fits(master.key, row.sealed_key, 'installation')) throw doesNotFit();
  const key = open(master.key, row.sealed_key, 'installation');
  if (row.sealed_with === undefined) await nameInstallationKey(db, master.id);
  const opened: OpenedKeys = new Map();
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', key, '', use, 32));

  return {
    installation_id: row.installation_id,
    derive,
    // Created once, because every list page needs it: deriving took 20 µs, and a Buffer 13 more.
    cursor: createSecretKey(derive('cursor')),
    seal: (plain, context) => seal(key, plain, context),
    open: (sealed, context) => open(key, sealed, context),
    newTenantKey: (tx) => newTenantKey(masters, tx),
    requireMasterKey: (tx) => requireMasterKey(masters, tx),
    tenantKey: (tx, tenantId) => tenantKey(masters, opened, tx, tenantId),
  };
}

/**
 * Sealed with the same key as the installation. Rotations are blocked until the transaction ends:
 * they would not see the new row, and would leave it sealed with the old key.
 */
async function newTenantKey(masters: MasterKeys, tx: Db): Promise<Required<Sealed>> {
  const master = await requireMasterKey(masters, tx);
  return { sealed_key: seal(master.key, randomBytes(32), 'tenant'), sealed_with: master.id };
}

async function requireMasterKey(masters: MasterKeys, tx: Db): Promise<MasterKey> {
  const master = await sealerOf(masters, await keepInstallation(tx), 'installation');
  if (!master) throw wasReplaced();
  return master;
}

/**
 * Opened tenant keys by their sealed value. A rotation seals them anew, so an entry is never stale.
 */
type OpenedKeys = Map<string, KeyObject>;
const mostOpened = 1000;

async function tenantKey(
  masters: MasterKeys,
  opened: OpenedKeys,
  db: Tag,
  tenantId: number,
): Promise<KeyObject> {
  // Another rotation may have ended while the files were read: then the row has changed.
  for (let tries = 0; tries < 3; tries += 1) {
    const row = await findTenantKey(db, tenantId);
    if (!row) throw new Error(`Tenant ${tenantId} has no key.`);
    const sealed = Buffer.from(row.sealed_key).toString('latin1');
    const known = opened.get(sealed);
    if (known) return known;
    const master = await sealerOf(masters, row, 'tenant');
    if (!master) continue;
    const key = createSecretKey(open(master.key, row.sealed_key, 'tenant'));
    if (opened.size >= mostOpened) opened.delete(opened.keys().next().value as string);
    opened.set(sealed, key);
    return key;
  }
  throw wasReplaced();
}

/** The master key that sealed a value; undefined if this process has no access to it. */
export async function sealerOf(
  masters: MasterKeys,
  { sealed_key, sealed_with }: Sealed,
  context: string,
): Promise<MasterKey | undefined> {
  if (sealed_with !== undefined) return masters.find(sealed_with);
  await masters.read();
  return masters.all().find(({ key }) => fits(key, sealed_key, context));
}

const doesNotFit = () =>
  new ConfigError(
    'MASTER_KEY does not fit the stored data. Start with the key this database was made with (DATA_DIR/master.key, or the MASTER_KEY of that time).',
  );

const wasReplaced = () =>
  new ConfigError(
    'The master key was replaced, and this process has no access to the new one. Restart it with the new key.',
  );
