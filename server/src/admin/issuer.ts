/** The command that lets users of a former identity provider in again. */
import { awaitedPrefix } from '../resources/auth/newcomers.ts';
import { giveByAddress, keepSubjects } from '../resources/users/issuers.ts';
import { embeddedIssuer } from '../resources/users/users.ts';
import { type Parts, UsageError } from './command.ts';

/** Those who have the same subjects, or who is given to whoever has their address. */
export type Whom = 'same_subjects' | Parameters<typeof giveByAddress>[3];

/** Without OIDC_ISSUER they become users of the embedded provider, who have no password yet. */
export async function moveIssuer({ config, db }: Parts, from: string, whom: Whom): Promise<string> {
  const to = config.oidc?.issuer ?? embeddedIssuer;
  if (from === to || from === embeddedIssuer)
    throw new UsageError('--from must be a former OIDC_ISSUER, not the one that is configured.');
  if (whom === 'same_subjects') {
    if (to === embeddedIssuer)
      throw new UsageError('--subjects keep is for another OIDC_ISSUER of the same provider.');
    return JSON.stringify({ to, ...(await keepSubjects(db, { from, to })) });
  }
  const prefix = to === embeddedIssuer ? '' : awaitedPrefix;
  return JSON.stringify({ to, ...(await giveByAddress(db, { from, to }, prefix, whom)) });
}
