/**
 * The embedded provider's state, in PostgreSQL: shared by all servers, and kept across restarts.
 * The provider decides what to store; here ids are hashed, payloads encrypted, and codes and
 * refresh tokens limited to a single use.
 */
import { createHash } from 'node:crypto';
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import type { Db } from '../../../db/connection.ts';
import type { Services } from '../../../services.ts';
import {
  consumeState,
  findGrantId,
  findSessionState,
  findState,
  removeFamily,
  removeGrantStates,
  removeSessionStates,
  removeState,
  removeUserStates,
  type StateRow,
  saveState,
} from './queries.ts';

export function stateStore({ db, keys }: Pick<Services, 'db' | 'keys'>): AdapterFactory {
  return (model): Adapter => {
    const contextOf = (idHash: Uint8Array) =>
      `identity_states|${model}|${Buffer.from(idHash).toString('base64')}`;
    const payloadOf = (row: StateRow, idHash: Uint8Array): AdapterPayload => ({
      ...JSON.parse(keys.open(row.payload, contextOf(idHash)).toString()),
      ...(row.consumed_at ? { consumed: Date.parse(row.consumed_at) / 1000 } : {}),
    });

    return {
      async upsert(id, { jti: _, ...payload }, expiresIn = 0) {
        const idHash = hashOf(id);
        await saveState(db, model, idHash, {
          payload: keys.seal(JSON.stringify(payload), contextOf(idHash)),
          grant_id: payload.grantId,
          session_uid: payload.sessionUid ?? payload.uid,
          subject: payload.accountId ?? signingIn(payload),
          expires_at: new Date(Date.now() + expiresIn * 1000),
        });
      },
      async find(id) {
        const idHash = hashOf(id);
        const row = await findState(db, model, idHash);
        return row && { ...payloadOf(row, idHash), jti: id };
      },
      async findByUid(uid) {
        const row = await findSessionState(db, uid);
        return row && payloadOf(row, row.id_hash);
      },
      findByUserCode: async () => undefined,
      async consume(id) {
        const idHash = hashOf(id);
        if (await consumeState(db, model, idHash)) return;
        // Two requests passed the provider's own check at the same moment. Either may come from a
        // thief, so both are refused.
        const grantId = await findGrantId(db, model, idHash);
        if (grantId) await removeFamily(db, hashOf(grantId), grantId);
        throw new errors.InvalidGrant('already used');
      },
      async destroy(id) {
        await removeState(db, model, hashOf(id));
      },
      async revokeByGrantId(grantId) {
        await removeGrantStates(db, model, grantId);
      },
    };
  };
}

/**
 * The user of a sign-in under way who has shown their password. It ends when that password changes.
 */
function signingIn({ result }: AdapterPayload): string | undefined {
  const { login, must_change } = (result ?? {}) as {
    login?: { accountId?: string };
    must_change?: { subject?: string };
  };
  return login?.accountId ?? must_change?.subject;
}

/** The stored form of an id. */
export const hashOf = (id: string) => createHash('sha256').update(id).digest();

/** Whether a refresh token was issued here, used or not. */
export const knowsRefreshToken = async (db: Db, token: string): Promise<boolean> =>
  (await findGrantId(db, 'RefreshToken', hashOf(token))) !== undefined;

/** Ends a browser session with its codes, tokens and authorizations. */
export async function endSession(db: Db, sessionUid: string): Promise<void> {
  await removeSessionStates(db, sessionUid);
}

/** Ends all sessions, tokens and authorizations of a user, except those of `keptSession`. */
export async function endSessionsOf(db: Db, subject: string, keptSession?: string): Promise<void> {
  await removeUserStates(db, subject, keptSession);
}
