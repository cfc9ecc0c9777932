/** SQL of moving users from one identity provider to another. */
import type { Db } from '../../db/connection.ts';

export type Move = {
  from: string;
  to: string;
  /** What the subjects of those begin with who are known again by their address; else they stay. */
  prefix: string | undefined;
};

/**
 * Moves users of an issuer who can be known at the other: of those with one address, the first, and
 * none whose subject or address somebody is known or awaited by there.
 */
export const moveUsers = (db: Db, { from, to, prefix }: Move) => db<
  { id: number; tenant_id: number }[]
>`
  with candidates as (
    select id, email, subject,
      row_number() over (
        partition by lower(email) order by status = 'active' desc, id
      ) as nth
    from users
    where issuer = ${from} and removed_at is null
  ),
  movable as (
    select id
    from candidates
    where case
      when ${prefix === undefined} then not exists (
        select from users
        where users.issuer = ${to} and users.subject = candidates.subject
      )
      else nth = 1 and email <> '' and not exists (
        select from users
        where users.issuer = ${to} and lower(users.email) = lower(candidates.email)
          and (users.issuer = 'embedded' or users.subject like 'awaited:%')
      )
    end
  )
  update users
  set issuer = ${to}, updated_at = now(),
      subject = coalesce(${prefix ?? null} || gen_random_uuid(), subject)
  where id in (select id from movable)
  returning id, tenant_id
`;

export const findUsersOfIssuer = (db: Db, issuer: string) => db<
  { id: number; tenant_id: number; email: string }[]
>`
  select id, tenant_id, email
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
