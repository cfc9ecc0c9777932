/** SQL that tells what a user has, for whoever is about to disable them. */
import type { Db } from '../../db/connection.ts';
import type { DisablePreview } from './schema.ts';

/** Named in each list. */
const named = 10;
/** Counted in each list: a user may own millions of files. */
const counted = 10_000;

type Piece = ReturnType<Db>;

/** In one statement, so that it tells of one moment. */
export async function readPreview(
  db: Db,
  { tenant_id, id }: { tenant_id: number; id: number },
  accountId: string,
): Promise<DisablePreview | undefined> {
  const [row] = await db<DisablePreview[]>`
    select
      ${listOf(
        db,
        db`
          select id, description as name
          from api_keys
          where tenant_id = ${tenant_id} and user_id = ${id} and revoked_at is null
            and (expires_at is null or expires_at > now())
        `,
      )} as api_keys,
      (
        select jsonb_build_object('count', count(distinct session_uid))
        from identity_states
        where subject = ${accountId} and model in ('Session', 'RefreshToken')
          and ended_at is null and expires_at > now()
      ) as sessions,
      ${listOf(
        db,
        db`
          select id, name
          from triggers
          where tenant_id = ${tenant_id} and run_as_user_id = ${id} and enabled
        `,
      )} as triggers,
      ${listOf(
        db,
        db`
          select id, coalesce(name, substring(url from '^[a-z]+://[^/?#]+'), 'Mail') as name
          from notices
          where tenant_id = ${tenant_id} and created_by = ${id} and enabled
        `,
      )} as notices,
      ${listOf(
        db,
        db`
          select run.id, workflows.name
          from workflow_runs as run
          join workflows on workflows.tenant_id = run.tenant_id and workflows.id = run.workflow_id
          where run.tenant_id = ${tenant_id} and run.started_by = ${id}
            and run.status in ('queued', 'running') and run.deleted_at is null
        `,
      )} as runs,
      ${listOf(
        db,
        db`
          select id, email as name
          from invitations
          where tenant_id = ${tenant_id} and invited_by = ${id} and ended_at is null
            and expires_at > now()
        `,
      )} as invitations,
      ${listOf(
        db,
        db`
          select id, name
          from workflows
          where tenant_id = ${tenant_id} and created_by = ${id} and deleted_at is null
        `,
      )} as workflows,
      ${listOf(
        db,
        db`
          select id, name
          from cogs
          where tenant_id = ${tenant_id} and owner_id = ${id} and deleted_at is null
            and cog_type <> 'master_folder' and purpose is null
        `,
      )} as cogs
  `;
  return row;
}

/** How many rows `(id, name)` there are, and the first ones. */
const listOf = (db: Db, rows: Piece) => db`
  (
    select jsonb_build_object(
      'count', count(*),
      'first', coalesce(
        jsonb_agg(jsonb_build_object('id', id, 'name', name) order by id)
          filter (where place <= ${named}),
        '[]'
      )
    )
    from (
      select id, name, row_number() over (order by id) as place
      from (select id, name from (${rows}) as found limit ${counted}) as found
    ) as placed
  )
`;

/**
 * Notes who takes over from a disabled user, and from all whom that user has succeeded. Waits for
 * what is being delivered to the user: `findHeir` holds the row until then.
 */
export const noteSuccessor = async (db: Db, tenantId: number, id: number, successorId: number) => {
  await db`select from users where tenant_id = ${tenantId} and id = ${id} for update`;
  await db`
    update users
    set successor_id = ${successorId}
    where tenant_id = ${tenantId} and id <> ${successorId}
      and (id = ${id} or successor_id = ${id})
  `;
};

/**
 * To whom results of a user's runs belong: to them, or to whoever has taken over. Holds both until
 * the end of the transaction, because either may leave meanwhile.
 */
export async function findHeir(tx: Db, tenantId: number, id: number, held = id): Promise<number> {
  const heir = (await holdUser(tx, tenantId, id)) ?? id;
  if (heir === held) return heir;
  await holdUser(tx, tenantId, heir);
  // While that was waited for, they may have left as well.
  return findHeir(tx, tenantId, id, heir);
}

/** @returns who has taken over from them. */
async function holdUser(tx: Db, tenantId: number, id: number): Promise<number | undefined> {
  const [user] = await tx<{ successor_id?: number }[]>`
    select successor_id from users
    where tenant_id = ${tenantId} and id = ${id}
    for key share
  `;
  return user?.successor_id;
}
