/** Sentences about people: accounts, sign-ins, invitations, the organization. Pure. */
import { formatCount, plural } from '../../ui/format.ts';
import type { Told, Words } from './told.ts';

const roleWords: Record<string, string> = { admin: 'an administrator', member: 'a member' };

const roleOf = ({ text }: Told) => roleWords[text('role')] ?? text('role');
const from = ({ text }: Told) => (text('address') ? ` from ${text('address')}` : '');

const elsewhere = ({ text }: Told) => (text('issuer') ? ` at ${text('issuer')}` : '');

export const peopleWords: Words = {
  'user.created': (told) => accountMade(told),
  'user.joined': ({ who }) => `${who} signed in for the first time.`,
  'user.changed': changed,
  'user.removed': ({ who, targetPerson }) => `${who} removed ${targetPerson}.`,
  'user.signed_in': (told) => `${told.who} signed in${elsewhere(told)}${from(told)}.`,
  'user.linked': ({ who, text }) =>
    `${who} signs in at ${text('issuer')} from now on; the password has ended.`,
  'user.issuer_changed': ({ targetPerson, text }) =>
    `The operator moved the sign-in of ${targetPerson} from ${text('from')} to ${text('to')}.`,
  'user.sign_in_failed': (told) => `A sign-in as ${told.targetPerson} was refused${from(told)}.`,
  'user.password_changed': ({ who }) => `${who} changed the password.`,
  'user.sessions_ended': ({ who, details }) =>
    details.all_others === true ? `${who} ended all other sessions.` : `${who} ended a session.`,
  'user.succeeded': ({ who, person }) =>
    `${who} handed over what ${person('from')} had to ${person('to')}.`,
  'user.files_taken_over': ({ targetPerson, person, number }) =>
    `${person('successor_id')} got the files and folders of ${targetPerson}: ${formatCount(number('cog_count') ?? 0)}.`,
  'cogs.taken_over': ({ targetPerson, person, details }) =>
    `${person('successor_id')} got some of the files and folders of ${targetPerson}: ${formatCount(lengthOf(details.cog_ids))}.`,
  'invitation.created': (told) => `${told.who} invited ${told.text('email')} as ${roleOf(told)}.`,
  'invitation.revoked': ({ who, text }) => `${who} took back the invitation of ${text('email')}.`,
  'invitation.accepted': (told) =>
    `${told.who} accepted the invitation of ${told.text('email')} as ${roleOf(told)}.`,
  'invitation.voided': ({ text }) =>
    `The invitation of ${text('email')} ended, because whoever sent it may no longer invite.`,
  'invitation.mail_refused': ({ target, text }) =>
    `The invitation of ${target} could not be mailed: ${text('reason')}`,
  'tenant.created': ({ who, target }) => `${who} made the organization ${target}.`,
  'tenant.changed': ({ who, target, text, details }) =>
    Object.keys(details).every((key) => key === 'name' || key === 'platform_admin_id')
      ? `${who} renamed the organization to “${text('name')}”.`
      : `${who} changed the limits of ${target}.`,
  'tenant.credits_added': ({ who, target, text, number }) =>
    `${who} gave ${target} ${plural(number('credits') ?? 0, 'credit')} more for this period${text('reason') ? `: ${text('reason')}` : '.'}`,
  'permission.granted': (told) => `${told.who} shared ${told.target} with ${sharedAs(told)}.`,
  'permission.changed': (told) => `${told.who} changed sharing ${told.target}: ${sharedAs(told)}.`,
  'permission.revoked': ({ who, target, person }) =>
    `${who} ended sharing ${target} with ${person('user_id')}.`,
};

const accountMade = (told: Told) => {
  const whose =
    told.targetPerson === 'you' ? 'Your account' : `The account of ${told.targetPerson}`;
  return `${whose} was made, as ${roleOf(told)}.`;
};

/** The status before is known only of later events. */
function changed(told: Told): string {
  const { who, targetPerson, text, details } = told;
  const before = (details.before ?? {}) as { role?: string; status?: string };
  const role = before.role === undefined || before.role !== text('role');
  const status = before.status === undefined || before.status !== text('status');
  if (status && text('status') === 'disabled') return `${who} disabled ${targetPerson}.`;
  if (status && before.status !== undefined) return `${who} enabled ${targetPerson}.`;
  return role ? `${who} made ${targetPerson} ${roleOf(told)}.` : `${who} changed ${targetPerson}.`;
}

const sharedAs = ({ person, text }: Told) => `${person('user_id')} as ${text('level')}`;

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
