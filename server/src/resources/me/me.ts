/** The caller's own profile. */

import type { Caller } from '../../callers.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';
import { notFound } from '../../errors.ts';
import { changeNames, embeddedIssuer, findUser, type UserRow } from '../users/users.ts';
import type { Me, MeChanges } from './schema.ts';

type Mailing = Pick<Config, 'mail'>;

export async function getMe(db: Tag, config: Mailing, caller: Caller): Promise<Me> {
  const user = await findUser(db, caller.tenant_id, caller.user_id);
  if (!user) throw notFound('User');
  return shown(user, config);
}

/** Onboarding is complete once both names are set; the tenant was created at sign-in. */
export async function changeMe(
  db: Db,
  config: Mailing,
  caller: Caller,
  changes: MeChanges,
): Promise<Me> {
  const user = await changeNames(db, caller.tenant_id, caller.user_id, changes);
  if (!user) throw notFound('User');
  return shown(user, config);
}

const shown = (user: UserRow, { mail }: Mailing): Me => ({
  ...user,
  gets_mail: mail !== undefined,
  sign_in: user.issuer === embeddedIssuer ? 'password' : 'external',
});
