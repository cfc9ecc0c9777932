/**
 * Secrets of a tenant: write-only. Encrypted with the tenant's key, with name and tenant as
 * context, so a value copied to another row cannot be decrypted. They are decrypted in one place
 * only, when a worker gets an attempt that needs them.
 */
import type { KeyObject } from 'node:crypto';
import { registryFromUrl, registryOf } from '@cogworks/graph/image-reference';
import type { Caller } from '../../callers.ts';
import { type Db, violates } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';
import { badField, conflict, forbidden, notFound } from '../../errors.ts';
import type { Keys } from '../../keys/keys.ts';
import { open, seal } from '../../keys/sealing.ts';
import type { Page } from '../../pages.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import {
  addSecret,
  countRegistrySecrets,
  findGenericSecrets,
  findPublishedImages,
  findRegistries,
  findRegistrySecrets,
  findSecret,
  findWorkflowWithSecret,
  listSecretRows,
  markUsed,
  removeSecret,
  replaceValue,
  type SealedSecret,
} from './queries.ts';
import type { NewSecret, RegistryCredentials, Secret, SecretValue } from './schema.ts';

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
    const sealed = await sealValue(tx, keys, caller.tenant_id, secret.name, secret.value);
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
    await recordEvent(tx, caller, {
      action: 'secret.created',
      target_type: 'secret',
      target_id: row.id,
    });
    return row;
  });
}

export function listSecrets(db: Db, caller: Caller, page: Page) {
  return listSecretRows(db, caller.tenant_id, page);
}

export async function getSecret(db: Db, caller: Caller, id: number): Promise<Secret> {
  const secret = await findSecret(db, caller.tenant_id, id);
  if (!secret) throw notFound('Secret');
  return secret;
}

/** Replaces the value; attempts under way keep the old one. */
export async function changeSecret(
  db: Db,
  keys: Keys,
  caller: Caller,
  id: number,
  value: SecretValue,
): Promise<Secret> {
  return db.transaction(async (tx) => {
    const secret = await getSecret(tx, caller, id);
    requireAdmin(caller);
    const server = serverOf(secret.kind, value);
    const sealed = await sealValue(tx, keys, caller.tenant_id, secret.name, value);
    const changed = await replaceValue(tx, caller.tenant_id, id, server, sealed);
    if (!changed) throw notFound('Secret');
    await recordEvent(tx, caller, {
      action: 'secret.changed',
      target_type: 'secret',
      target_id: id,
    });
    return changed;
  });
}

/** @throws DomainError 409 `secret_in_use` while a published version needs it. */
export async function deleteSecret(db: Db, caller: Caller, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    const secret = await getSecret(tx, caller, id);
    requireAdmin(caller);
    const workflow = await userOf(tx, caller.tenant_id, secret);
    if (workflow !== undefined) {
      throw conflict(
        'secret_in_use',
        `A published version of "${workflow}" needs this secret. Archive it first.`,
      );
    }
    await removeSecret(tx, caller.tenant_id, id);
    await recordEvent(tx, caller, {
      action: 'secret.deleted',
      target_type: 'secret',
      target_id: id,
    });
  });
}

/** A registry as named by a tenant's images. */
export type TenantRegistry = { tenant_id: number; server: string };

/** Which of these registries their tenants have credentials for. */
export const registriesWithCredentials = (db: Tag, wanted: readonly TenantRegistry[]) =>
  findRegistries(db, wanted);

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
  /** Credentials for a server; undefined if the tenant has none. */
  registry(server: string): RegistryCredentials | undefined;
  /** The value of a generic secret; undefined if there is none. */
  generic(name: string): string | undefined;
};

/** Maximum age of the recorded last use, so that a hundred lanes do not write a hundred times. */
const usedNoted_ms = 60_000;

/**
 * Reads credentials for these servers, and the generic secrets with these names, in one round trip.
 * Records their use.
 */
export async function readCredentials(
  { db, lookups, keys }: { db: Db; lookups: Tag; keys: Keys },
  tenantId: number,
  { servers, names }: { servers: string[]; names: string[] },
): Promise<TenantSecrets> {
  if (servers.length === 0 && names.length === 0)
    return { registry: () => undefined, generic: () => undefined };
  const [key, forServers, byName] = await Promise.all([
    keys.tenantKey(lookups, tenantId),
    servers.length > 0 ? findRegistrySecrets(lookups, tenantId, servers) : [],
    names.length > 0 ? findGenericSecrets(lookups, tenantId, names) : [],
  ]);
  const before = Date.now() - usedNoted_ms;
  const unnoted = [...forServers, ...byName].filter(
    ({ last_used_at }) => last_used_at === undefined || Date.parse(last_used_at) < before,
  );
  const ids = unnoted.map(({ id }) => id);
  if (ids.length > 0) await markUsed(db, tenantId, ids);
  // A hundred orders may use the same registry.
  const values = new Map<SealedSecret, SecretValue>();
  const opened = (secret: SealedSecret | undefined) => {
    if (!secret) return undefined;
    const value = values.get(secret) ?? openSecret(key, tenantId, secret);
    values.set(secret, value);
    return value;
  };
  return {
    registry: (server) => opened(forServers.find((secret) => secret.server === server)),
    generic: (name) => opened(byName.find((secret) => secret.name === name)),
  };
}

const openSecret = (key: KeyObject, tenantId: number, { sealed_value, name }: SealedSecret) =>
  JSON.parse(open(key, sealed_value, contextOf(tenantId, name)).toString());

/** A workflow whose published version needs the secret. */
async function userOf(tx: Db, tenantId: number, secret: Secret): Promise<string | undefined> {
  if (secret.kind === 'generic') return findWorkflowWithSecret(tx, tenantId, secret.name);
  const server = secret.server ?? '';
  if ((await countRegistrySecrets(tx, tenantId, server)) > 1) return undefined;
  const images = await findPublishedImages(tx, tenantId);
  return images.find(({ image }) => registryOf(image) === server)?.workflow;
}

function requireAdmin(caller: Caller) {
  if (caller.role !== 'admin') throw forbidden('Only administrators may change secrets.');
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

async function sealValue(db: Db, keys: Keys, tenantId: number, name: string, value: SecretValue) {
  const key = await keys.tenantKey(db, tenantId);
  return seal(key, JSON.stringify(value), contextOf(tenantId, name));
}

const contextOf = (tenantId: number, name: string) => `secret|${tenantId}|${name}`;
