/** Folders and the grants on them, as users make them. */
import assert from 'node:assert/strict';
import type { Client } from './cast.ts';

export async function folder(by: Client, name: string, parent_id?: number) {
  const { status, body } = await by.post('/cogs/', {
    name,
    cog_type: 'asset_folder',
    ...(parent_id === undefined ? {} : { parent_id }),
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

export const share = (by: Client, id: number, to: Client, level: string, extra = {}) =>
  by.post(`/permissions/cogs/${id}`, {
    target_type: 'cog',
    target_id: id,
    user_id: to.user.id,
    level,
    ...extra,
  });

/** The grant that `whose` has on the cog itself. */
export const ownGrant = async (by: Client, id: number, whose: Client = by) =>
  (await by.get(`/permissions/cogs/${id}`)).body.find(
    (grant: { user_id: number }) => grant.user_id === whose.user.id,
  );
