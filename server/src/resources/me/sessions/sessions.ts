/**
 * Where I am signed in, and ending that elsewhere. Whoever signs in by way of an external provider
 * has a session here too; the one at that provider is its own.
 */
import { decodeJwt } from 'jose';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { forbidden, notFound } from '../../../errors.ts';
import type { Listed, Page } from '../../../pages.ts';
import { recordEvent } from '../../audit-events/audit-events.ts';
import { endSession, endSessionsOf } from '../../auth/provider/store.ts';
import { accountIdOf, findUser } from '../../users/users.ts';
import { deviceOf } from './device-names.ts';
import {
  countLiveSessions,
  findLiveSession,
  findLiveSessions,
  type SessionRow,
} from './queries.ts';
import type { Session } from './schema.ts';

/**
 * The browser session of an access token; the token itself was verified before. Undefined for a
 * request with an API key, whatever else its header holds.
 */
export function sessionOf({ key_id }: Caller, authorization = ''): string | undefined {
  const token = /^Bearer +(.+)$/i.exec(authorization)?.[1];
  if (key_id !== undefined || token === undefined) return undefined;
  const { sid } = decodeJwt(token);
  return typeof sid === 'string' ? sid : undefined;
}

/** @param current the session of the request. */
export async function listSessions(
  db: Db,
  caller: Caller,
  current: string | undefined,
  page: Page,
): Promise<Listed<Session>> {
  const found = await findLiveSessions(db, caller, page);
  const rows = found.map((row) => shown(row, current));
  return page.with_total ? { rows, total: await countLiveSessions(db, caller) } : { rows };
}

/** Ends one, with its access and refresh tokens. @throws DomainError 403 for API keys, 404 */
export function endOne(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const session = await findLiveSession(tx, caller, id);
    if (!session) throw notFound('Session');
    refuseKeys(caller);
    await endSession(tx, session.session_uid);
    await recordEnd(tx, caller, { session_id: id });
  });
}

/** Ends all but the session of the request. @throws DomainError 403 for API keys. */
export function endOthers(db: Db, caller: Caller, current: string | undefined): Promise<void> {
  refuseKeys(caller);
  return db.transaction(async (tx) => {
    const user = await findUser(tx, caller.tenant_id, caller.user_id);
    if (!user) throw notFound('User');
    await endSessionsOf(tx, accountIdOf(user), current);
    await recordEnd(tx, caller, { all_others: true });
  });
}

/** Whoever has found a key must not be able to sign its owner out. */
function refuseKeys({ key_id }: Caller) {
  if (key_id !== undefined) throw forbidden('An API key cannot end sessions; sign in.');
}

const recordEnd = (tx: Db, caller: Caller, details: Record<string, unknown>) =>
  recordEvent(tx, caller, {
    action: 'user.sessions_ended',
    target_type: 'user',
    target_id: caller.user_id,
    details,
  });

const shown = ({ session_uid, user_agent, ...row }: SessionRow, current: string | undefined) => ({
  ...row,
  device: deviceOf(user_agent),
  is_current: session_uid === current,
});
