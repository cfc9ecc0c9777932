/**
 * Whether the credentials of a registry secret are good, as far as this server can see: workers
 * elsewhere may reach other networks. It calls what the server's own worker may call, so that nobody
 * can find out what answers inside.
 */
import { isLoopback } from '@cogworks/graph/image-reference';
import { resolveByMachine } from '@cogworks/sdk/outbound/guarded-call';
import {
  allowNothing,
  ownRegistryAt,
  parseRegistryAllow,
  type RegistryAllow,
} from '@cogworks/worker/containers/registry-allow';
import { checkRegistry, type RegistryCheck } from '@cogworks/worker/containers/registry-check';
import type { Caller } from '../../callers.ts';
import { conflict, notFound } from '../../errors.ts';
import { resolveByDns } from '../../outbound/public-names.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { findSealedSecret } from './queries.ts';
import { requireAdmin, valueIn } from './secrets.ts';

/**
 * Contacts the registry with the stored credentials.
 *
 * @throws DomainError 404; 403 for members; 409 `no_registry_secret`, `secret_managed`.
 */
export async function checkSecret(
  { config, db, keys, baseUrl }: Pick<Services, 'config' | 'db' | 'keys' | 'baseUrl'>,
  caller: Caller,
  id: number,
): Promise<RegistryCheck & { version: number }> {
  const secret = await findSealedSecret(db, caller.tenant_id, id);
  if (!secret) throw notFound('Secret');
  requireAdmin(caller);
  if (secret.is_managed) {
    throw conflict(
      'secret_managed',
      'Cogworks makes these credentials itself, for its own registry: there is nothing to test.',
    );
  }
  const { server, version } = secret;
  if (secret.kind !== 'registry' || server === undefined)
    throw conflict('no_registry_secret', 'Only the credentials of a registry can be tested.');

  const key = await keys.tenantKey(db, caller.tenant_id);
  const { username, password } = valueIn(keys, key, caller.tenant_id, secret);
  const own = ownRegistryAt(baseUrl());
  const usual = isLoopback(own.own) ? 'loopback' : '';
  const parsed = parseRegistryAllow(config.registry_allow ?? usual) ?? allowNothing;
  const allow = { ...parsed, ...own };
  const check = await checkRegistry(server, { username, password }, allow, lookUpBy(allow));
  await recordEvent(db, caller, {
    action: 'secret.tested',
    target_type: 'secret',
    target_id: id,
    details: { name: secret.name, server, version, outcome: check.outcome },
  });
  return { ...check, version };
}

/**
 * What users name is looked up by DNS alone, see public-names.ts. What the operator has named may
 * be known to this machine only.
 */
function lookUpBy({ hosts, own }: RegistryAllow) {
  const named = new Set(['localhost', own ?? '', ...hosts].map((one) => one.replace(/:\d+$/, '')));
  return (name: string) => (named.has(name) ? resolveByMachine(name) : resolveByDns(name));
}
