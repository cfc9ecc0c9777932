/** Sentences about people: accounts, sign-ins, invitations, the organization, sharing. Pure. */
import { plural, select, t } from '@lingui/core/macro';
import { formatCount } from '../../ui/format.ts';
import type { Told, Words } from './told.ts';

export const peopleWords: Words = {
  'user.created': accountMade,
  'user.joined': ({ who }) => t`${who} signed in for the first time.`,
  'user.changed': changed,
  'user.removed': ({ who, targetPerson }) => t`${who} removed ${targetPerson}.`,
  'user.signed_in': signedIn,
  'user.linked': ({ who, text }) =>
    t`${who} signs in at ${{ issuer: text('issuer') }} from now on; the password has ended.`,
  'user.issuer_changed': ({ targetPerson, text }) =>
    t`The operator moved the sign-in of ${targetPerson} from ${{ from: text('from') }} to ${{ to: text('to') }}.`,
  'user.sign_in_failed': ({ targetPerson, text }) =>
    text('address')
      ? t`A sign-in as ${targetPerson} was refused from ${{ address: text('address') }}.`
      : t`A sign-in as ${targetPerson} was refused.`,
  'user.password_changed': ({ who }) => t`${who} changed the password.`,
  'user.sessions_ended': ({ who, details }) =>
    details.all_others === true ? t`${who} ended all other sessions.` : t`${who} ended a session.`,
  'user.succeeded': ({ who, person }) =>
    t`${who} handed over what ${{ from: person('from') }} had to ${{ to: person('to') }}.`,
  'user.files_taken_over': ({ successor, targetPerson, number }) =>
    t`${successor} got the files and folders of ${targetPerson}: ${{ count: formatCount(number('cog_count') ?? 0) }}.`,
  'cogs.taken_over': ({ successor, targetPerson, details }) =>
    t`${successor} got some of the files and folders of ${targetPerson}: ${{ count: formatCount(lengthOf(details.cog_ids)) }}.`,
  'invitation.created': invited,
  'invitation.revoked': ({ who, text }) =>
    t`${who} took back the invitation of ${{ email: text('email') }}.`,
  'invitation.accepted': accepted,
  'invitation.voided': ({ text }) =>
    t`The invitation of ${{ email: text('email') }} ended, because whoever sent it may no longer invite.`,
  'invitation.mail_refused': ({ target, text }) =>
    t`The invitation of ${target} could not be mailed: ${{ reason: text('reason') }}`,
  'tenant.created': ({ who, target }) => t`${who} made the organization ${target}.`,
  'tenant.changed': ({ who, target, text, details }) =>
    Object.keys(details).every((key) => key === 'name' || key === 'platform_admin_id')
      ? t`${who} renamed the organization to “${{ name: text('name') }}”.`
      : t`${who} changed the limits of ${target}.`,
  'tenant.credits_added': creditsAdded,
  'permission.granted': shared,
  'permission.changed': sharingChanged,
  'permission.revoked': ({ who, target, person }) =>
    t`${who} ended sharing ${target} with ${{ person: person('user_id') }}.`,
};

function accountMade({ isOwn, targetPerson, text }: Told): string {
  const role = text('role');
  return isOwn
    ? t`Your account was made, as ${select(role, { admin: 'an administrator', member: 'a member', other: role })}.`
    : t`The account of ${targetPerson} was made, as ${select(role, { admin: 'an administrator', member: 'a member', other: role })}.`;
}

/** The status before is known only of later events. */
function changed({ who, targetPerson, text, details }: Told): string {
  const before = (details.before ?? {}) as { role?: string; status?: string };
  const role = text('role');
  const isOther = before.status === undefined || before.status !== text('status');
  if (isOther && text('status') === 'disabled') return t`${who} disabled ${targetPerson}.`;
  if (isOther && before.status !== undefined) return t`${who} enabled ${targetPerson}.`;
  return before.role === undefined || before.role !== role
    ? t`${who} made ${targetPerson} ${select(role, { admin: 'an administrator', member: 'a member', other: role })}.`
    : t`${who} changed ${targetPerson}.`;
}

/** The address is known of all but the oldest, the issuer of those that were elsewhere. */
function signedIn({ who, text }: Told): string {
  const [issuer, address] = [text('issuer'), text('address')];
  if (!address) return t`${who} signed in.`;
  return issuer
    ? t`${who} signed in at ${issuer} from ${address}.`
    : t`${who} signed in from ${address}.`;
}

function invited({ who, text }: Told): string {
  const [email, role] = [text('email'), text('role')];
  return t`${who} invited ${email} as ${select(role, { admin: 'an administrator', member: 'a member', other: role })}.`;
}

function accepted({ who, text }: Told): string {
  const [email, role] = [text('email'), text('role')];
  return t`${who} accepted the invitation of ${email} as ${select(role, { admin: 'an administrator', member: 'a member', other: role })}.`;
}

function creditsAdded({ who, target, text, number }: Told): string {
  const [credits, reason] = [number('credits') ?? 0, text('reason')];
  return reason
    ? plural(credits, {
        one: `${who} gave ${target} # credit more for this period: ${reason}`,
        other: `${who} gave ${target} # credits more for this period: ${reason}`,
      })
    : plural(credits, {
        one: `${who} gave ${target} # credit more for this period.`,
        other: `${who} gave ${target} # credits more for this period.`,
      });
}

function shared({ who, target, person, text }: Told): string {
  const [to, level] = [person('user_id'), text('level')];
  return t`${who} shared ${target} with ${to} as ${select(level, { viewer: 'viewer', editor: 'editor', owner: 'owner', other: level })}.`;
}

function sharingChanged({ who, target, person, text }: Told): string {
  const [to, level] = [person('user_id'), text('level')];
  return t`${who} changed sharing ${target}: ${to} as ${select(level, { viewer: 'viewer', editor: 'editor', owner: 'owner', other: level })}.`;
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
