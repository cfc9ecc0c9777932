/** Uploads that are sent but not confirmed, and what a tenant has of them. */
import type { Cast, Client } from './cast.ts';
import { inventoryOf } from './inventory.ts';
import { bytesFor, confirm, initiated, sent, type Upload } from './uploads.ts';

export const stateOf = async (by: Client, { upload_id }: Upload) =>
  (await by.get(`/cogs/uploads/${upload_id}`)).body;

const day_ms = 24 * 3600 * 1000;
export const after = (days: number) => new Date(Date.now() + days * day_ms);

/** An upload whose parts are all stored. */
export async function stored(by: Client, parts: number, fields: object = {}) {
  const bytes = bytesFor(parts, 7);
  const upload = await initiated(by, bytes, fields);
  const list = await sent(upload, bytes);
  const again = (more: object = {}, other: Client = by) =>
    confirm(other, upload, bytes.length, list, more);
  return { upload, bytes, list, again };
}

/** What the tenant has: states of its objects, and the files and folders of its storage. */
export async function kept({ server, owner }: Cast) {
  const { db, config } = server.services;
  const { tenant_id } = owner.user;
  const objects = await db<{ state: string }[]>`
    select state from objects where tenant_id = ${tenant_id} order by id
  `;
  const inventory = inventoryOf(config.data_dir);
  const own = (keys: string[]) => keys.filter((key) => key.startsWith(`${tenant_id}/`));
  const [whole, parts] = [own(await inventory.keys()), own(await inventory.arriving())];
  return { states: objects.map(({ state }) => state), whole: whole.length, parts: parts.length };
}
