/** The caller's own profile. */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';
import { notFound } from '../../errors.ts';
import { changeNames, findUser } from '../users/users.ts';
import type { Me, MeChanges } from './schema.ts';

export async function getMe(db: Tag, caller: Caller): Promise<Me> {
  const user = await findUser(db, caller.tenant_id, caller.user_id);
  if (!user) throw notFound('User');
  return user;
}

/** Onboarding is complete once both names are set; the tenant was created at sign-in. */
export async function changeMe(db: Db, caller: Caller, changes: MeChanges): Promise<Me> {
  const user = await changeNames(db, caller.tenant_id, caller.user_id, changes);
  if (!user) throw notFound('User');
  return user;
}
