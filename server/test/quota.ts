/** Tenants with a limit of what they may store. */
import { readUsage } from '../src/objects/quota.ts';
import { changeTenantSettings } from '../src/resources/users/users.ts';
import { cast } from './cast.ts';
import type { TestServer } from './server.ts';

/** A tenant that may store `limit` bytes. */
export async function limitedPeople(server: TestServer, limit: number | null) {
  const { db } = server.services;
  const all = await cast(server);
  const { tenant_id } = all.owner.user;
  const setLimit = (storage_limit_bytes: number | null) =>
    changeTenantSettings(db, tenant_id, { storage_limit_bytes });
  await setLimit(limit);
  const held = async () => {
    const { used_bytes, reserved_bytes } = await readUsage(db, tenant_id);
    return { used_bytes, reserved_bytes };
  };
  return { ...all, setLimit, held };
}
