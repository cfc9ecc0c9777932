/** SQL of the places where somebody is signed in at the embedded provider. */
import type { Db } from '../../../db/connection.ts';
import { pageOf } from '../../../db/page-of.ts';
import type { Page } from '../../../pages.ts';

export type SessionRow = {
  id: number;
  session_uid: string;
  user_agent: string;
  address: string;
  created_at: string;
  last_used_at: string;
};

type Owner = { tenant_id: number; user_id: number };

/** The first tokens of a session, or later ones by a new authorization from the same browser. */
export const noteSignIn = (
  db: Db,
  user_id: number,
  { session_uid, user_agent, address }: Pick<SessionRow, 'session_uid' | 'user_agent' | 'address'>,
) => db`
  insert into sign_in_sessions (tenant_id, user_id, session_uid, user_agent, address)
  select tenant_id, id, ${session_uid}, ${user_agent}, ${address}
  from users
  where id = ${user_id}
  on conflict on constraint sign_in_sessions_uid_unique do update
  set tenant_id = excluded.tenant_id, user_id = excluded.user_id,
      user_agent = excluded.user_agent, address = excluded.address, last_used_at = now()
`;

export const noteRenewal = (db: Db, sessionUid: string) => db`
  update sign_in_sessions set last_used_at = now() where session_uid = ${sessionUid}
`;

/** As for the tokens of a session: it lives while it or a refresh token of it does. */
const isLive = (db: Db) => db`
  exists (
    select from identity_states
    where identity_states.session_uid = sign_in_sessions.session_uid
      and model in ('Session', 'RefreshToken') and ended_at is null and expires_at > now()
  )
`;

const ofUser = (db: Db, { tenant_id, user_id }: Owner) => db`
  tenant_id = ${tenant_id} and user_id = ${user_id} and ${isLive(db)}
`;

export function findLiveSessions(db: Db, owner: Owner, page: Page) {
  const ordered = db`
    select id, session_uid, user_agent, address, created_at, last_used_at
    from sign_in_sessions
    where ${ofUser(db, owner)} ${page.after ? db`and id < ${Number(page.after[0])}` : db``}
    order by id desc
  `;
  return db<SessionRow[]>`${pageOf(db, page, ordered)}`;
}

export async function countLiveSessions(db: Db, owner: Owner): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) from sign_in_sessions where ${ofUser(db, owner)}
  `;
  return row?.count ?? 0;
}

export async function findLiveSession(db: Db, owner: Owner, id: number) {
  const [row] = await db<Pick<SessionRow, 'session_uid'>[]>`
    select session_uid from sign_in_sessions where ${ofUser(db, owner)} and id = ${id}
  `;
  return row;
}

/** Forgets what was used last before that time and lives no more. @returns how many. */
export async function removeEndedSessions(db: Db, before: Date): Promise<number> {
  const removed = await db`
    delete from sign_in_sessions where last_used_at < ${before} and not ${isLive(db)}
  `;
  return removed.count;
}
