/** SQL of mails that are to be sent. */
import type { Db } from '../db/connection.ts';

export type MailRow = {
  id: string;
  tenant_id: number;
  invitation_id: number;
  sealed: Uint8Array;
  tries: number;
};

export const addMail = (
  tx: Db,
  { id, tenant_id, invitation_id, sealed }: Omit<MailRow, 'tries'>,
) => tx`
  insert into mails (id, tenant_id, invitation_id, sealed)
  values (${id}, ${tenant_id}, ${invitation_id}, ${sealed})
`;

/** Removes mails about invitations that have ended or expired. */
export const removePointless = (db: Db) => db`
  delete from mails
  using invitations
  where invitations.tenant_id = mails.tenant_id and invitations.id = mails.invitation_id
    and (invitations.ended_at is not null or invitations.expires_at <= now())
`;

/** Reserves mails that are due: if this process ends, others try them after that time. */
export const claimDue = (db: Db, limit: number, seconds: number) => db<MailRow[]>`
  with due as (
    select id
    from mails
    where next_try_at <= now()
    order by next_try_at
    limit ${limit}
    for update skip locked
  )
  update mails
  set tries = tries + 1, next_try_at = now() + make_interval(secs => ${seconds})
  from due
  where mails.id = due.id
  returning mails.id, mails.tenant_id, mails.invitation_id, mails.sealed, mails.tries
`;

export const tryAgainIn = (db: Db, id: string, seconds: number) => db`
  update mails set next_try_at = now() + make_interval(secs => ${seconds}) where id = ${id}
`;

export const removeMail = (db: Db, id: string) => db`delete from mails where id = ${id}`;
