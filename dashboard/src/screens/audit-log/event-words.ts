/** What an event of the audit log says, as a sentence. Pure. */
import type { AuditEvent } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { fileWords } from './file-words.ts';
import { peopleWords } from './people-words.ts';
import { thingWords } from './thing-words.ts';
import { type People, toldOf, type Words } from './told.ts';

const logWords: Words = {
  'audit_events.read': ({ who }) => t`${who} looked at the audit log.`,
  'audit_events.exported': ({ who }) => t`${who} downloaded the audit log.`,
  'audit_events.removed': ({ number }) => {
    const [events, days] = [number('events') ?? 0, number('days') ?? 0];
    return plural(events, {
      one: `# event older than ${plural(days, { one: '# day', other: '# days' })} was removed.`,
      other: `# events older than ${plural(days, { one: '# day', other: '# days' })} were removed.`,
    });
  },
  'audit_events.verified': ({ who, details }) =>
    details.is_intact === true
      ? t`${who} compared the audit log with its seals: nothing was changed.`
      : t`${who} compared the audit log with its seals: it was changed.`,
};

const words: Words = { ...peopleWords, ...fileWords, ...thingWords, ...logWords };

export function sentenceOf(event: AuditEvent, people: People): string {
  const told = toldOf(event, people);
  const known = words[event.action];
  if (known) return known(told);
  // Of a later service.
  return `${told.who}: ${event.action.replaceAll(/[._]/g, ' ')} ${told.target}`.trimEnd();
}
