/**
 * Replaces the master key while servers run. At every moment the key in use by the database is in a
 * file: the next key is written before anything is sealed with it, and replaces the other
 * afterwards. Files and rows change under the lock of the installation's row.
 */
import type { Config } from '../config.ts';
import type { Db } from '../db/connection.ts';
import { conflict } from '../errors.ts';
import { runningElsewhere } from './holders.ts';
import {
  type MasterKey,
  MasterKeys,
  masterKeyFile,
  newMasterKeyFile,
  nextKey,
  removeKey,
  writeKey,
} from './master-keys.ts';
import {
  lockInstallation,
  lockTenantKeys,
  resealInstallation,
  resealTenants,
  type Sealed,
} from './queries.ts';
import { fits, open, seal } from './sealing.ts';

/**
 * Seals the installation's and every tenant's key with `next`, in one transaction. `keep` stores
 * the next key durably; it is called once nothing prevents the rotation, and before anything
 * depends on that key.
 *
 * @returns the tenants whose key the current master key does not open; they are left unchanged.
 * @throws DomainError 409 `server_runs` while a server runs that could not read the new key.
 */
export async function rotateMasterKey(
  config: Config,
  db: Db,
  next: MasterKey,
  keep: () => Promise<void>,
): Promise<number[]> {
  await finishRotation(config, db);
  const left = await db.transaction(async (tx) => {
    const row = await lockInstallation(tx);
    if (!row)
      throw new Error('There is nothing to rotate yet: the installation was never started.');
    await refuseWhileOthersRun(config, tx);
    const masters = new MasterKeys(config);
    await masters.present();
    const present = presentKey(masters, row, 'installation');
    if (!present) throw conflict('master_key_unknown', 'MASTER_KEY does not fit the stored data.');
    await keep();

    const key = open(present.key, row.sealed_key, 'installation');
    const sealed_key = seal(next.key, key, 'installation');
    await resealInstallation(tx, { sealed_key, sealed_with: next.id });
    return resealTenantKeys(tx, masters, next);
  });
  await finishRotation(config, db);
  return left;
}

/**
 * Makes the next key the current one if the database is sealed with it: at the end of a rotation,
 * and at the next start if that was killed before.
 */
export async function finishRotation(config: Config, db: Db): Promise<void> {
  if (config.master_key !== undefined) return;
  if ((await nextKey(config)) === undefined) return;
  await db.transaction(async (tx) => {
    const row = await lockInstallation(tx);
    const next = await nextKey(config);
    if (!row || !next || !isSealedWith(next, row, 'installation')) return;
    await writeKey(masterKeyFile(config), next);
    await removeKey(newMasterKeyFile(config));
  });
}

async function resealTenantKeys(tx: Db, masters: MasterKeys, next: MasterKey) {
  const tenants = await lockTenantKeys(tx);
  const resealed: { id: number; sealed_key: Buffer }[] = [];
  const left: number[] = [];
  for (const tenant of tenants) {
    const master = presentKey(masters, tenant, 'tenant');
    if (!master) {
      left.push(tenant.id);
      continue;
    }
    const key = open(master.key, tenant.sealed_key, 'tenant');
    resealed.push({ id: tenant.id, sealed_key: seal(next.key, key, 'tenant') });
  }
  await resealTenants(tx, resealed, next.id);
  return left;
}

const presentKey = (masters: MasterKeys, sealed: Sealed, context: string) =>
  masters.all().find((master) => isSealedWith(master, sealed, context));

const isSealedWith = ({ id, key }: MasterKey, sealed: Sealed, context: string) =>
  (sealed.sealed_with ?? id) === id && fits(key, sealed.sealed_key, context);

async function refuseWhileOthersRun(config: Config, tx: Db) {
  const [other] = await runningElsewhere(config, tx);
  if (!other) return;
  const { role, host, pid, key_folder } = other;
  const why =
    config.master_key !== undefined
      ? 'A key from the environment cannot be replaced under it'
      : key_folder === undefined
        ? 'Its key comes from its environment'
        : 'It keeps its key in another folder than this command';
  throw conflict(
    'server_runs',
    `The server process ${pid} (${role}) on ${host} runs, and could not read the new key. ${why}: stop it, rotate, give it the new key and start it again. One that was killed is forgotten after a minute.`,
  );
}
