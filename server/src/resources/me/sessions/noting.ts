/** Notes where tokens of the embedded provider are made and renewed. */
import type { Db } from '../../../db/connection.ts';
import { noteRenewal, noteSignIn, removeEndedSessions } from './queries.ts';

export type Issued = {
  user_id: number;
  session_uid: string;
  /** By a refresh token, perhaps by a program of ours in the browser's place. */
  is_renewal: boolean;
  user_agent: string;
  address: string;
};

export async function noteTokens(db: Db, { is_renewal, user_id, ...from }: Issued): Promise<void> {
  const user_agent = from.user_agent.replaceAll('\0', '').slice(0, 500);
  if (is_renewal) await noteRenewal(db, from.session_uid);
  else await noteSignIn(db, user_id, { ...from, user_agent });
}

/** Forgets sessions that ended a day ago. @returns how many. */
export const forgetEndedSessions = (db: Db, now: Date): Promise<number> =>
  removeEndedSessions(db, new Date(now.getTime() - 24 * 3_600_000));
