/** Which identity provider users are known by, when the installation goes to another one. */
import type { Db } from '../../db/connection.ts';
import { recordEvents } from '../audit-events/audit-events.ts';
import { countStranded, findUsersOfIssuer, type Move, moveUsers } from './issuer-queries.ts';
import { embeddedIssuer } from './users.ts';

/** Moves users to another provider. @returns how many, and who could not be moved. */
export function moveToIssuer(
  db: Db,
  move: Move,
): Promise<{ moved: number; left: { id: number; tenant_id: number; email: string }[] }> {
  return db.transaction(async (tx) => {
    const moved = await moveUsers(tx, move);
    const { from, to } = move;
    await recordEvents(
      tx,
      moved.map(({ id, tenant_id }) => ({
        ...{ tenant_id, action: 'user.issuer_changed', target_type: 'user', target_id: id },
        details: { from, to },
      })),
    );
    return { moved: moved.length, left: [...(await findUsersOfIssuer(tx, move.from))] };
  });
}

/** Users who cannot sign in, because their provider is not the configured one. */
export const strandedUsers = (db: Db, issuer: string | undefined) =>
  countStranded(db, issuer === undefined ? [embeddedIssuer] : [embeddedIssuer, issuer]);
