/** SQL of the embedded provider's state. */
import type { Db } from '../../../db/connection.ts';

export type StateRow = { payload: Uint8Array; consumed_at?: string };
export type NewState = {
  payload: Uint8Array;
  grant_id: string | undefined;
  session_uid: string | undefined;
  subject: string | undefined;
  expires_at: Date;
};

export function saveState(db: Db, model: string, idHash: Buffer, state: NewState) {
  return db`
    insert into identity_states
      (model, id_hash, payload, grant_id, session_uid, subject, expires_at)
    values
      (${model}, ${idHash}, ${state.payload}, ${state.grant_id ?? null},
       ${state.session_uid ?? null}, ${state.subject ?? null}, ${state.expires_at})
    on conflict (model, id_hash) do update
    set payload = excluded.payload,
        grant_id = excluded.grant_id,
        session_uid = excluded.session_uid,
        subject = excluded.subject,
        expires_at = excluded.expires_at
    where identity_states.ended_at is null
  `;
}

export async function findState(db: Db, model: string, idHash: Buffer) {
  const [row] = await db<StateRow[]>`
    select payload, consumed_at
    from identity_states
    where model = ${model} and id_hash = ${idHash} and ended_at is null
  `;
  return row;
}

export async function findSessionState(db: Db, uid: string) {
  const [row] = await db<(StateRow & { id_hash: Uint8Array })[]>`
    select id_hash, payload, consumed_at
    from identity_states
    where model = 'Session' and session_uid = ${uid} and ended_at is null
  `;
  return row;
}

/** Marks a code or refresh token as used. @returns false if it was used already. */
export async function consumeState(db: Db, model: string, idHash: Buffer): Promise<boolean> {
  const consumed = await db`
    update identity_states
    set consumed_at = now()
    where model = ${model} and id_hash = ${idHash} and consumed_at is null
    returning model
  `;
  return consumed.length > 0;
}

export function removeState(db: Db, model: string, idHash: Buffer) {
  return end(db, db`model = ${model} and id_hash = ${idHash}`);
}

export function removeGrantStates(db: Db, model: string, grantId: string) {
  return db`delete from identity_states where model = ${model} and grant_id = ${grantId}`;
}

/** Removes a family: the grant and everything derived from it. */
export function removeFamily(db: Db, grantIdHash: Buffer, grantId: string) {
  return db`
    delete from identity_states
    where grant_id = ${grantId} or (model = 'Grant' and id_hash = ${grantIdHash})
  `;
}

/** The grant of a live or used code or token. */
export async function findGrantId(db: Db, model: string, idHash: Buffer) {
  const [row] = await db<{ grant_id?: string }[]>`
    select grant_id from identity_states where model = ${model} and id_hash = ${idHash}
  `;
  return row?.grant_id;
}

/**
 * Removes a session's authorizations. A concurrent refresh may still write a new token after this;
 * without its authorization that token is useless.
 */
export function removeSessionStates(db: Db, sessionUid: string) {
  return end(
    db,
    db`session_uid = ${sessionUid} or (model = 'Grant' and id_hash in (${grantsOf(db, sessionUid)}))`,
  );
}

/**
 * Removes sessions, codes, refresh tokens and authorizations of one user, except those of
 * `keptSession`.
 */
export function removeUserStates(db: Db, subject: string, keptSession: string | undefined) {
  return end(
    db,
    db`
      subject = ${subject}
      and session_uid is distinct from ${keptSession ?? null}
      and not (model = 'Grant' and id_hash in (${grantsOf(db, keptSession ?? null)}))
    `,
  );
}

/** Removes the rows; for sessions it leaves a record that they have ended, see migration 0049. */
const end = (db: Db, which: ReturnType<Db>) => db`
  with ended as (
    update identity_states
    set ended_at = now(), payload = ''
    where model = 'Session' and ended_at is null and (${which})
  )
  delete from identity_states where model <> 'Session' and (${which})
`;

/** Hashed ids of a session's authorizations. */
const grantsOf = (db: Db, sessionUid: string | null) => db`
  select sha256(convert_to(grant_id, 'UTF8'))
  from identity_states
  where session_uid = ${sessionUid} and grant_id is not null
`;

export async function removeExpiredStates(db: Db, before: Date): Promise<number> {
  const gone = await db`delete from identity_states where expires_at < ${before}`;
  return gone.count;
}
