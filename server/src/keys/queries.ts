/** SQL of values sealed by the master key, and of the processes that hold it. */
import type { Db } from '../db/connection.ts';
import type { Tag } from '../db/statement.ts';

/**
 * A value sealed by a master key; `sealed_with` is that key's id, absent in rows from before ids.
 */
export type Sealed = { sealed_key: Uint8Array; sealed_with?: string };

export type InstallationRow = Sealed & { installation_id: string };

/** Adds the installation's row, unless a concurrent first start already has. */
export function addInstallation(db: Db, { sealed_key, sealed_with }: Required<Sealed>) {
  return db`
    insert into installation (sealed_key, sealed_with)
    values (${sealed_key}, ${sealed_with})
    on conflict do nothing
  `;
}

export async function findInstallation(db: Db): Promise<InstallationRow> {
  const [row] = await db<InstallationRow[]>`
    select installation_id, sealed_key, sealed_with from installation
  `;
  if (!row) throw new Error('The installation has no row.');
  return row;
}

/** Blocks rotations until the transaction ends. */
export async function keepInstallation(tx: Db): Promise<InstallationRow> {
  const [row] = await tx<InstallationRow[]>`
    select installation_id, sealed_key, sealed_with from installation for share
  `;
  if (!row) throw new Error('The installation has no row.');
  return row;
}

/**
 * Takes the lock under which keys are replaced, in the database and in files. Undefined before the
 * first start.
 */
export async function lockInstallation(tx: Db): Promise<InstallationRow | undefined> {
  const [row] = await tx<InstallationRow[]>`
    select installation_id, sealed_key, sealed_with from installation for update
  `;
  return row;
}

export function nameInstallationKey(db: Db, sealedWith: string) {
  return db`update installation set sealed_with = ${sealedWith} where sealed_with is null`;
}

export function resealInstallation(tx: Db, { sealed_key, sealed_with }: Required<Sealed>) {
  return tx`update installation set sealed_key = ${sealed_key}, sealed_with = ${sealed_with}`;
}

export async function findTenantKey(db: Tag, tenantId: number): Promise<Sealed | undefined> {
  const [tenant] = await db<Sealed[]>`
    select sealed_key, sealed_with from tenants where id = ${tenantId}
  `;
  return tenant;
}

export function lockTenantKeys(tx: Db) {
  return tx<(Sealed & { id: number })[]>`
    select id, sealed_key, sealed_with from tenants order by id for no key update
  `;
}

export function resealTenants(
  tx: Db,
  tenants: { id: number; sealed_key: Buffer }[],
  sealedWith: string,
) {
  return tx`
    update tenants
    set sealed_key = decode(resealed.sealed_key, 'hex'), sealed_with = ${sealedWith}
    from unnest(
      ${tenants.map((tenant) => tenant.id)}::bigint[],
      ${tenants.map((tenant) => tenant.sealed_key.toString('hex'))}::text[]
    ) as resealed (id, sealed_key)
    where tenants.id = resealed.id
  `;
}

export type ProcessRow = {
  id: string;
  role: 'serve' | 'engine';
  host: string;
  pid: number;
  key_folder?: string;
};

/** Records that the process runs, and removes processes that have not reported for a day. */
export async function noteProcess(db: Db, { id, role, host, pid, key_folder }: ProcessRow) {
  await db`delete from server_processes where seen_at < now() - interval '1 day'`;
  await db`
    insert into server_processes (id, role, host, pid, key_folder)
    values (${id}, ${role}, ${host}, ${pid}, ${key_folder ?? null})
    on conflict (id) do update set seen_at = now()
  `;
}

export function forgetProcess(db: Db, id: string) {
  return db`delete from server_processes where id = ${id}`;
}

/** Processes that reported within `seconds`. */
export function findProcesses(db: Db, seconds: number) {
  return db<ProcessRow[]>`
    select id, role, host, pid, key_folder
    from server_processes
    where seen_at > now() - make_interval(secs => ${seconds})
    order by host, pid
  `;
}
