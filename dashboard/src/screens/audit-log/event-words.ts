/** What an event of the audit log says, as a sentence. Pure. */
import type { AuditEvent } from '@cogworks/sdk/contract.gen';
import { plural } from '../../ui/format.ts';
import { fileWords } from './file-words.ts';
import { peopleWords } from './people-words.ts';
import { type NameOf, type Told, toldOf, type Words } from './told.ts';

/** What can be created, changed and deleted, and needs no more words than that. */
const things: Record<string, string> = {
  api_key: 'the API key',
  notice: 'the notice',
  secret: 'the secret',
  trigger: 'the trigger',
  worker: 'the worker',
  workflow: 'the workflow',
  workflow_template: 'the template',
};

const deeds: Record<string, string> = {
  created: 'made',
  changed: 'changed',
  deleted: 'deleted',
  revoked: 'revoked',
  rotated: 'rotated',
  enrolled: 'enrolled',
  secret_rotated: 'made a new secret for',
  tested: 'tested',
};

const offReasons: Record<string, string> = {
  run_as_disabled: 'the person it runs as is disabled',
  refused_repeatedly: 'its starts were refused again and again',
  failing: 'its deliveries failed for days',
  gone: 'the receiver said that it is gone',
};

const thingWords: Words = {
  'api_key.reported': ({ target, person }) =>
    `Somebody had found the API key ${target} of ${person('user_id')}, and reported it: it was revoked.`,
  'audit_events.read': ({ who }) => `${who} looked at the audit log.`,
  'audit_events.exported': ({ who }) => `${who} downloaded the audit log.`,
  'audit_events.removed': ({ number }) =>
    `${plural(number('events') ?? 0, 'event')} older than ${plural(number('days') ?? 0, 'day')} were removed.`,
  'audit_events.verified': ({ who, details }) =>
    `${who} compared the audit log with its seals: ${details.is_intact === true ? 'nothing was changed' : 'it was changed'}.`,
  'image.deleted': ({ who, target }) => `${who} deleted the image ${target}.`,
  'notice.paused': (told) => `The notice ${told.target} was turned off: ${offReason(told)}.`,
  'trigger.paused': (told) => `The trigger ${told.target} was turned off: ${offReason(told)}.`,
  'notice.transferred': (told) => transferred(told, 'notice'),
  'trigger.transferred': (told) => transferred(told, 'trigger'),
  'workflow.transferred': (told) => transferred(told, 'workflow'),
  'workflow_run.deleted': ({ who, target }) => `${who} deleted the run ${target}.`,
  'worker.enrolled': ({ who, target, number, person, text }) =>
    number('enrollment_token_id') === undefined
      ? `${who} enrolled the worker ${target}.`
      : `The worker ${target} was enrolled from ${text('address')}, with a token that ${person('token_by')} had made.`,
  'worker.enrollment_token_created': ({ who }) => `${who} made a token to enrol a worker.`,
};

const offReason = ({ text }: Told) => offReasons[text('off_reason')] ?? text('off_reason');

const transferred = ({ target, person }: Told, thing: string) =>
  `The ${thing} ${target} went from ${person('from')} to ${person('to')}.`;

const words: Words = { ...peopleWords, ...fileWords, ...thingWords };

export function sentenceOf(event: AuditEvent, nameOf: NameOf): string {
  const told = toldOf(event, nameOf);
  const known = words[event.action];
  if (known) return known(told);
  const [noun = '', deed = ''] = event.action.split('.');
  const [thing, verb] = [things[noun], deeds[deed]];
  if (thing && verb) return `${told.who} ${verb} ${thing} ${told.target}.`;
  // Of a later service.
  return `${told.who}: ${event.action.replaceAll(/[._]/g, ' ')} ${told.target}`.trimEnd();
}
