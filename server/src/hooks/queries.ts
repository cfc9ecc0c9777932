/** SQL of the secrets of hooks, in the tables of the slices that have such. */
import type { Db } from '../db/connection.ts';
import type { Part } from '../db/statement.ts';

/** The secrets of one hook. */
export type SecretRows = {
  /** Their table, and its column with the id of the hook. */
  table: Part;
  hook_id: Part;
  tenant_id: number;
  id: number;
};

/** Adds the newest secret, which does not end. */
export const addSecret = (
  tx: Db,
  { table, hook_id, tenant_id, id }: SecretRows,
  sealed_value: Uint8Array,
) => tx`
  insert into ${table} (tenant_id, ${hook_id}, sealed_value)
  values (${tenant_id}, ${id}, ${sealed_value})
`;

/**
 * Lets the newest secret end after a time, and older ones at once.
 *
 * @returns when it ends; undefined if it has.
 */
export async function endSecrets(
  tx: Db,
  { table, hook_id, tenant_id, id }: SecretRows,
  overlap_seconds: number,
): Promise<string | undefined> {
  const [ended] = await tx<{ ends_at: string }[]>`
    with gone as (
      delete from ${table}
      where tenant_id = ${tenant_id} and ${hook_id} = ${id}
        and (ends_at is not null or ${overlap_seconds} = 0)
    )
    update ${table}
    set ends_at = clock_timestamp() + ${overlap_seconds} * interval '1 second'
    where tenant_id = ${tenant_id} and ${hook_id} = ${id} and ends_at is null
      and ${overlap_seconds} > 0
    returning ends_at
  `;
  return ended?.ends_at;
}
