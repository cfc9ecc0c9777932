/** Which identity provider users are known by, when the installation goes to another one. */
import type { Db } from '../../db/connection.ts';
import { revokeKeysOf } from '../api-keys/api-keys.ts';
import { recordEvents } from '../audit-events/audit-events.ts';
import { endSessionsOf } from '../auth/provider/store.ts';
import {
  type Chosen,
  countStranded,
  findUsersOfIssuer,
  type Move,
  moveByAddress,
  moveBySubject,
} from './issuer-queries.ts';
import { embeddedIssuer, externalAccountId } from './users.ts';

type Left = { id: number; tenant_id: number; email: string; email_verified: boolean };

/**
 * Moves users to another provider, where they have the same subjects.
 *
 * @returns how many, and who could not be moved.
 */
export function keepSubjects(db: Db, move: Move): Promise<{ moved: number; left: Left[] }> {
  return db.transaction(async (tx) => {
    const moved = await moveBySubject(tx, move);
    await record(tx, move, moved);
    return { moved: moved.length, left: [...(await findUsersOfIssuer(tx, move.from))] };
  });
}

/**
 * Moves users to another provider, where whoever has their address gets the account. Its sessions
 * end and its keys are revoked: nothing else tells that it is the same person.
 *
 * @param prefix what the subjects begin with until then.
 * @returns how many users, how many keys they had, and who could not be moved.
 */
export function giveByAddress(
  db: Db,
  move: Move,
  prefix: string,
  chosen: Chosen,
): Promise<{ moved: number; revoked_keys: number; left: Left[] }> {
  return db.transaction(async (tx) => {
    const moved = await moveByAddress(tx, move, prefix, chosen);
    await record(tx, move, moved);
    for (const user of moved) await endSessionsOf(tx, externalAccountId(user));
    const revoked_keys = await revokeKeysOf(tx, moved);
    const left = [...(await findUsersOfIssuer(tx, move.from))];
    return { moved: moved.length, revoked_keys, left };
  });
}

const record = (tx: Db, { from, to }: Move, moved: readonly { id: number; tenant_id: number }[]) =>
  recordEvents(
    tx,
    moved.map(({ id, tenant_id }) => ({
      ...{ tenant_id, action: 'user.issuer_changed', target_type: 'user', target_id: id },
      details: { from, to },
    })),
  );

/** Users who cannot sign in, because their provider is not the configured one. */
export const strandedUsers = (db: Db, issuer: string | undefined) =>
  countStranded(db, issuer === undefined ? [embeddedIssuer] : [embeddedIssuer, issuer]);
