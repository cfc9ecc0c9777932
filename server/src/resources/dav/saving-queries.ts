/** SQL of saving by moving one file over another. */
import type { Db } from '../../db/connection.ts';

/** Whether nobody but the user was given access to the cog itself, by a grant or a URL. */
export async function hasOnlyContent(
  db: Db,
  tenantId: number,
  id: number,
  userId: number,
): Promise<boolean> {
  const [row] = await db<{ is_alone: boolean }[]>`
    select not exists (
      select from permissions
      where tenant_id = ${tenantId} and cog_id = ${id} and user_id <> ${userId}
    ) and not exists (
      select from download_urls
      where tenant_id = ${tenantId} and cog_ids @> array[${id}]::bigint[] and expires_at > now()
    ) as is_alone
  `;
  return row?.is_alone ?? false;
}
