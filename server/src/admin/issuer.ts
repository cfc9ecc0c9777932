/** The command that lets users of a former identity provider in again. */
import { awaitedPrefix } from '../resources/auth/newcomers.ts';
import { moveToIssuer } from '../resources/users/issuers.ts';
import { embeddedIssuer } from '../resources/users/users.ts';
import { type Parts, UsageError } from './command.ts';

/** Without OIDC_ISSUER they become users of the embedded provider, who have no password yet. */
export async function moveIssuer(
  { config, db }: Parts,
  from: string,
  subjects: 'keep' | 'new',
): Promise<string> {
  const to = config.oidc?.issuer ?? embeddedIssuer;
  if (from === to || from === embeddedIssuer)
    throw new UsageError('--from must be a former OIDC_ISSUER, not the one that is configured.');
  const isKept = subjects === 'keep';
  if (isKept && to === embeddedIssuer)
    throw new UsageError('--subjects keep is for another OIDC_ISSUER of the same provider.');
  const prefix = isKept ? undefined : to === embeddedIssuer ? '' : awaitedPrefix;
  return JSON.stringify({ to, ...(await moveToIssuer(db, { from, to, prefix })) });
}
