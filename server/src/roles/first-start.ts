/** Sets up an empty installation at its first start: a tenant and an admin. */
import type { Config } from '../config.ts';
import type { Db } from '../db/connection.ts';
import type { Keys } from '../keys/keys.ts';
import { openAccount } from '../resources/auth/accounts.ts';
import { newOneTimePassword, setPassword } from '../resources/auth/passwords.ts';
import { countUsers, createTenant, lockFirstStart } from '../resources/users/users.ts';

export type FirstAdmin = {
  email: string;
  /** Only if it was generated; otherwise the operator knows it. */
  password?: string;
};

/**
 * Adds the first user, as platform admin. Of servers that start together, one does it.
 *
 * @returns what to tell the operator; undefined if there are users already.
 */
export async function setUpFirstAdmin(
  config: Config,
  db: Db,
  keys: Keys,
): Promise<FirstAdmin | undefined> {
  if ((await countUsers(db)) > 0) return undefined;
  return db.transaction(async (tx) => {
    await lockFirstStart(tx);
    if ((await countUsers(tx)) > 0) return undefined;

    const tenant_id = await createTenant(tx, keys, 'Default');
    const email = config.admin_email;
    const admin = { tenant_id, email, role: 'admin', is_platform_admin: true } as const;
    const { user } = await openAccount(tx, config, admin);
    if (config.oidc) return { email };

    const password = config.admin_password ?? newOneTimePassword();
    await setPassword(tx, user.id, password);
    return config.admin_password === undefined ? { email, password } : { email };
  });
}

/** For the terminal, once; never for the log. Empty if no password was generated. */
export function welcome({ email, password }: FirstAdmin, baseUrl: string): string {
  if (password === undefined) return `First admin: ${email}`;
  const lines = [
    'The first admin was created. This password is shown only now:',
    '',
    `  Sign in at  ${baseUrl}/app/?email=${encodeURIComponent(email).replace('%40', '@')}`,
    `  E-mail      ${email}`,
    `  Password    ${password}`,
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const edge = '─'.repeat(width + 4);
  const body = lines.map((line) => `│  ${line.padEnd(width)}  │`);
  return [`┌${edge}┐`, ...body, `└${edge}┘`].join('\n');
}
