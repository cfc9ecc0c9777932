/**
 * Programs save by writing another file and moving it over the first. What they wrote is then a new
 * content of that file, which stays the one that was shared and has versions.
 */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Cog } from '../cogs/schema.ts';
import { takeContent } from '../cogs/versions/versions.ts';
import { takeProperties } from './property-queries.ts';
import { hasOnlyContent } from './saving-queries.ts';
import { copyTime } from './time-queries.ts';

/**
 * Whether moving the one over the other saves it: both are files, and the moved one has nothing that
 * would be lost with it. A file with a history or with people of its own is really moved.
 */
export const isSaving = async (
  tx: Db,
  { tenant_id, user_id }: Caller,
  moved: Cog,
  replaced: Cog,
): Promise<boolean> =>
  moved.cog_type === 'file' &&
  replaced.cog_type === 'file' &&
  moved.version === 1 &&
  (await hasOnlyContent(tx, tenant_id, moved.id, user_id));

/** Gives the file the content of the other, with its time and, if it has any, its properties. */
export async function saveOver(tx: Db, caller: Caller, moved: Cog, replaced: Cog): Promise<void> {
  const { tenant_id } = caller;
  const { id, version = 1 } = await takeContent(tx, caller, replaced.id, moved.id);
  await copyTime(tx, tenant_id, moved.id, { id, version });
  await takeProperties(tx, tenant_id, moved.id, id);
}
