/** How an inviter is named to whoever is invited. Pure. */
import { onOneLine } from '../../mail/words.ts';
import type { UserRow } from '../users/users.ts';

export type Inviter = Pick<UserRow, 'first_name' | 'last_name' | 'email' | 'email_verified'>;

/** Everybody chooses their own name, so it is no replacement for an address that is not shown. */
export function inviterInWords({ first_name, last_name, email, email_verified }: Inviter): string {
  const name = onOneLine(`${first_name} ${last_name}`);
  if (!email_verified) return `${name || 'Somebody'} (address not verified)`;
  return name ? `${name} (${onOneLine(email)})` : onOneLine(email);
}
