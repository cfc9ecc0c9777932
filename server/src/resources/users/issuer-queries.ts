/** SQL of moving users from one identity provider to another. */
import type { Db } from '../../db/connection.ts';

export type Move = { from: string; to: string };

/** Whom to move by address: those with a verified one, all, or a single user. */
export type Chosen = 'verified' | 'all' | { id: number };

type Moved = { id: number; tenant_id: number };

/** Moves the users of an issuer whose subjects nobody is known by at the other. */
export const moveBySubject = (db: Db, { from, to }: Move) => db<Moved[]>`
  update users
  set issuer = ${to}, updated_at = now()
  where issuer = ${from} and removed_at is null
    and not exists (
      select from users as known where known.issuer = ${to} and known.subject = users.subject
    )
  returning id, tenant_id
`;

/**
 * Moves users of an issuer who will be known at the other by their address: of several with one
 * address the only active one, else none, since nothing tells whose it is. None whose address
 * somebody has there already: if it is the same person, they would never get this account too. A
 * single user moves all the same, unless that somebody is known by the address.
 *
 * @param prefix what their new subjects begin with.
 */
export const moveByAddress = (db: Db, { from, to }: Move, prefix: string, chosen: Chosen) => db<
  Moved[]
>`
  with candidates as (
    select id, email,
      rank() over (partition by lower(email) order by status = 'active' desc) as place,
      count(*) over (partition by lower(email), status) as sharing
    from users
    where issuer = ${from} and removed_at is null and email <> ''
      ${chosen === 'verified' ? db`and email_verified` : db``}
      ${typeof chosen === 'object' ? db`and id = ${chosen.id}` : db``}
  ),
  movable as (
    select id
    from candidates
    where place = 1 and sharing = 1 and not exists (
      select from users
      where users.issuer = ${to} and lower(users.email) = lower(candidates.email)
        ${typeof chosen === 'object' ? knownByAddress(db) : db``}
    )
  )
  update users
  set issuer = ${to}, subject = ${prefix} || gen_random_uuid(), updated_at = now()
  where id in (select id from movable)
  returning id, tenant_id
`;

/** As the unique index says. */
const knownByAddress = (db: Db) =>
  db`and (users.issuer = 'embedded' or users.subject like 'awaited:%')`;

export const findUsersOfIssuer = (db: Db, issuer: string) => db<
  { id: number; tenant_id: number; email: string; email_verified: boolean }[]
>`
  select id, tenant_id, email, coalesce(email_verified, false) as email_verified
  from users
  where issuer = ${issuer} and removed_at is null
  order by id
`;

/** Users of providers that are not configured. */
export const countStranded = (db: Db, issuers: readonly string[]) => db<
  { issuer: string; users: number }[]
>`
  select issuer, count(*) as users
  from users
  where issuer <> all(${issuers}::text[]) and removed_at is null
  group by issuer
  order by issuer
`;
