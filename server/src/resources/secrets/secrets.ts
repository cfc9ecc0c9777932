/**
 * Secrets of a tenant: write-only. Encrypted with the tenant's key, with tenant, name, kind and
 * version as context, so a value copied to another row or from an earlier version cannot be decrypted. They are decrypted in one place
 * only, when a worker gets an attempt that needs them.
 */
import type { KeyObject } from 'node:crypto';
import { ownRegistry, registryFromUrl, registryOf } from '@cogworks/graph/image-reference';
import type { Caller } from '../../callers.ts';
import { type Db, violates } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';
import { badField, conflict, forbidden, notFound } from '../../errors.ts';
import type { Keys } from '../../keys/keys.ts';
import { open, seal } from '../../keys/sealing.ts';
import type { Page } from '../../pages.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { pullCredentials } from '../registry/pull-credentials.ts';
import {
  addSecret,
  countRegistrySecrets,
  findGenericSecrets,
  findImagesOfWorkflows,
  findRegistries,
  findSecret,
  findSecretsGiven,
  findWorkflowsWithSecret,
  listSecretRows,
  lockSecret,
  markUsed,
  removeSecret,
  replaceValue,
  type SealedSecret,
  type SecretRow,
  setManagedServer,
  setOwnRegistry,
  type Taker,
  takeSecrets,
} from './queries.ts';
import type {
  NewSecret,
  RegistryCredentials,
  Secret,
  SecretUse,
  SecretValue,
  SecretWithUse,
} from './schema.ts';

/**
 * @throws DomainError 403 for members, 409 `name_collision`, 422 if the value does not fit the
 *   kind.
 */
export async function createSecret(
  db: Db,
  keys: Keys,
  caller: Caller,
  secret: NewSecret,
): Promise<Secret> {
  requireAdmin(caller);
  const server = serverOf(secret.kind, secret.value);
  return db.transaction(async (tx) => {
    const sealed = await sealValue(tx, keys, { ...caller, ...secret, version: 1 }, secret.value);
    const row = await addSecret(tx, {
      tenant_id: caller.tenant_id,
      name: secret.name,
      kind: secret.kind,
      server,
      sealed_value: sealed,
      created_by: caller.user_id,
    }).catch((error: unknown) => {
      throw violates(error, 'secrets_name_unique_per_tenant')
        ? conflict('name_collision', `There is already a secret named ${secret.name}.`, error)
        : error;
    });
    await record(tx, caller, 'secret.created', row);
    return row;
  });
}

export function listSecrets(db: Db, caller: Caller, page: Page) {
  return listSecretRows(db, caller.tenant_id, page);
}

/** With the workflows that need it. */
export async function getSecret(db: Db, caller: Caller, id: number): Promise<SecretWithUse> {
  const secret = await requireSecret(db, caller, id);
  return { ...secret, used_by: await usersOf(db, caller.tenant_id, secret) };
}

async function requireSecret(db: Db, { tenant_id }: Caller, id: number): Promise<Secret> {
  const secret = await findSecret(db, tenant_id, id);
  if (!secret) throw notFound('Secret');
  return secret;
}

/**
 * Replaces the value; attempts under way keep the old one.
 *
 * @throws DomainError 409 `secret_managed` for that of the installation's own registry.
 */
export async function changeSecret(
  db: Db,
  keys: Keys,
  caller: Caller,
  id: number,
  value: SecretValue,
): Promise<Secret> {
  return db.transaction(async (tx) => {
    const secret = await lockSecret(tx, caller.tenant_id, id);
    if (!secret) throw notFound('Secret');
    requireAdmin(caller);
    requireOwn(secret);
    const server = serverOf(secret.kind, value);
    const next = { ...secret, version: secret.version + 1 };
    const sealed = await sealValue(tx, keys, next, value);
    const changed = await replaceValue(tx, caller.tenant_id, id, server, sealed);
    if (!changed) throw notFound('Secret');
    await record(tx, caller, 'secret.changed', changed);
    return changed;
  });
}

/** @throws DomainError 409 `secret_in_use` while a version that runs by itself needs it, `secret_managed` */
export async function deleteSecret(db: Db, caller: Caller, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    const secret = await requireSecret(tx, caller, id);
    requireAdmin(caller);
    requireOwn(secret);
    const [first, ...others] = await usersOf(tx, caller.tenant_id, secret);
    if (first) throw conflict('secret_in_use', inUse(first, others.length));
    await removeSecret(tx, caller.tenant_id, id);
    await record(tx, caller, 'secret.deleted', secret);
  });
}

/** What the attempts of these node runs got, the first attempts first. */
export const secretsOf = (db: Db, tenantId: number, nodeRunIds: readonly number[]) =>
  findSecretsGiven(db, tenantId, nodeRunIds);

/** A registry as named by a tenant's images. */
export type TenantRegistry = { tenant_id: number; server: string };

/** Which of these registries their tenants have credentials for. */
export const registriesWithCredentials = (db: Tag, wanted: readonly TenantRegistry[]) =>
  findRegistries(db, wanted, ownRegistry);

/** The names for which the tenant has no generic secret. */
export async function missingSecrets(
  db: Tag,
  tenantId: number,
  names: string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const found = new Set(
    (await findGenericSecrets(db, tenantId, names)).map((secret) => secret.name),
  );
  return names.filter((name) => !found.has(name));
}

/** Secrets of one tenant. Each is decrypted on first use, and throws if that fails. */
export type TenantSecrets = {
  /** Credentials for a server, with its address; undefined if the tenant has none. */
  registry(server: string): RegistryCredentials | undefined;
  /** The value of a generic secret; undefined if there is none. */
  generic(name: string): string | undefined;
};

/** Maximum age of the recorded last use, so that a hundred lanes do not write a hundred times. */
const usedNoted_ms = 60_000;

/** Where secrets are read: `taken` is where the attempts are written, which take them. */
type Sources = { db: Db; lookups: Tag; taken: Tag; keys: Keys };

/**
 * Reads credentials for these servers, and the generic secrets with these names, in one round trip.
 * Records their use, and which attempt takes which version.
 */
export async function readCredentials(
  { db, lookups, taken, keys }: Sources,
  tenantId: number,
  { servers, names }: { servers: string[]; names: string[] },
  takers: readonly Taker[] = [],
): Promise<TenantSecrets> {
  if (servers.length === 0 && names.length === 0)
    return { registry: () => undefined, generic: () => undefined };
  const wanted = { servers, names, own: servers.includes(ownRegistry) };
  const [key, found] = await Promise.all([
    keys.tenantKey(lookups, tenantId),
    takeSecrets(taken, tenantId, wanted, takers),
  ]);
  const before = Date.now() - usedNoted_ms;
  const unnoted = found.filter(
    ({ last_used_at }) => last_used_at === undefined || Date.parse(last_used_at) < before,
  );
  const ids = unnoted.map(({ id }) => id);
  if (ids.length > 0) await markUsed(db, tenantId, ids);
  // A hundred orders may use the same registry.
  const values = new Map<SealedSecret, SecretValue>();
  const opened = (secret: SealedSecret | undefined) => {
    if (!secret) return undefined;
    const value = values.get(secret) ?? valueIn(keys, key, tenantId, secret);
    values.set(secret, value);
    return value;
  };
  return {
    registry: (server) => opened(found.find((secret) => isFor(secret, server))),
    generic: (name) =>
      opened(found.find((secret) => secret.kind === 'generic' && secret.name === name)),
  };
}

const isFor = ({ is_managed, server }: SealedSecret, wanted: string) =>
  wanted === ownRegistry ? is_managed : server === wanted;

/** Text or credentials, by its kind. @throws Error if it does not open. */
export function valueIn(keys: Keys, key: KeyObject, tenantId: number, secret: SealedSecret) {
  const { sealed_value, name, server = '', binds_version } = secret;
  if (sealed_value === undefined) return { server, ...pullCredentials(keys, tenantId) };
  const context = binds_version ? contextOf(secret) : `secret|${tenantId}|${name}`;
  return JSON.parse(open(key, sealed_value, context).toString());
}

/**
 * Notes where this installation's own registry is, which every tenant has a secret for.
 *
 * @param baseUrl under which clients reach this server.
 */
export async function keepOwnRegistry(db: Db, baseUrl: string): Promise<void> {
  // As the worker writes it, without the port that every https URL has.
  const server = registryFromUrl(new URL(baseUrl).host);
  await db.transaction(async (tx) => {
    if (await setOwnRegistry(tx, server)) await setManagedServer(tx, server);
  });
}

/** With what it was called, since a deleted one cannot be looked up. */
const record = (tx: Db, caller: Caller, action: string, secret: Secret) => {
  const { id, name, kind, server, version } = secret;
  return recordEvent(tx, caller, {
    ...{ action, target_type: 'secret', target_id: id },
    details: { name, kind, server, version },
  });
};

/** More are not listed. */
const mostUsers = 100;

/** Workflows with a version that runs by itself and needs the secret; none if another would do. */
async function usersOf(tx: Db, tenantId: number, secret: Secret): Promise<SecretUse[]> {
  if (secret.kind === 'generic')
    return findWorkflowsWithSecret(tx, tenantId, secret.name, mostUsers);
  const server = secret.server ?? '';
  if ((await countRegistrySecrets(tx, tenantId, server)) > 1) return [];
  return (await findImagesOfWorkflows(tx, tenantId))
    .filter(({ images }) => images.some((image) => registryOf(image) === server))
    .slice(0, mostUsers)
    .map(({ workflow_id, name }) => ({ workflow_id, name }));
}

const inUse = ({ name }: SecretUse, others: number) =>
  others === 0
    ? `"${name}" needs this secret: a version of it is published, or is run by a trigger. Archive that version, or turn the trigger off, first.`
    : `"${name}" and ${others} more ${others === 1 ? 'workflow' : 'workflows'} need this secret: versions of them are published, or are run by triggers. Archive those versions, or turn the triggers off, first.`;

function requireOwn({ is_managed }: Secret) {
  if (!is_managed) return;
  throw conflict(
    'secret_managed',
    'Cogworks makes these credentials itself, for its own registry: they cannot be changed or deleted.',
  );
}

export function requireAdmin(caller: Caller) {
  if (caller.role !== 'admin') throw forbidden('Only administrators may change or test secrets.');
}

function serverOf(kind: Secret['kind'], value: SecretValue): string | undefined {
  if (kind === 'generic') {
    if (typeof value !== 'string') throw badField('value', 'A generic secret is a string.', 'type');
    return undefined;
  }
  if (typeof value === 'string') {
    throw badField(
      'value',
      'A registry secret is an object of server, username and password.',
      'type',
    );
  }
  const server = registryFromUrl(value.server);
  if (server === null)
    throw badField('value', 'server must be a host, with a port if any: registry.example:5000.');
  return server;
}

async function sealValue(db: Db, keys: Keys, secret: Sealing, value: SecretValue) {
  const key = await keys.tenantKey(db, secret.tenant_id);
  return seal(key, JSON.stringify(value), contextOf(secret));
}

/** What the seal of a value binds it to. */
type Sealing = Pick<SecretRow, 'tenant_id' | 'name' | 'kind' | 'version'>;

const contextOf = ({ tenant_id, name, kind, version }: Sealing) =>
  `secret|${tenant_id}|${name}|${kind}|${version}`;
