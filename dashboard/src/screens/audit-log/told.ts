/** What the sentence of an event is made of. Pure. */
import type { AuditEvent } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';

/** The people that sentences name. */
export type People = {
  /** `You`, a name, or the id of somebody unknown. */
  nameOf: (userId: number) => string;
  /** The id of the reader; undefined until it is known. */
  me: number | undefined;
};

/** An event with what its sentence is made of. */
export type Told = {
  /** Who did it, as the beginning of a sentence. */
  who: string;
  /** The target in quotes, by its name or its id. */
  target: string;
  /** A detail as a text; empty if there is none. */
  text: (name: string) => string;
  number: (name: string) => number | undefined;
  /** The name of a person whose id a detail is. */
  person: (name: string) => string;
  /** The name of the person who is the target. */
  targetPerson: string;
  /** Who took something over, as the beginning of a sentence. */
  successor: string;
  /** Whether the target is the reader. */
  isOwn: boolean;
  details: AuditEvent['details'];
};

/** Sentences by action. */
export type Words = Record<string, (told: Told) => string>;

export function toldOf(event: AuditEvent, people: People): Told {
  const { actor_id, target_id, target_name, details } = event;
  const text = (name: string) => {
    const value = details[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const number = (name: string) => {
    const value = details[name];
    return typeof value === 'number' ? value : undefined;
  };
  const successor = number('successor_id');
  const called = target_name ?? (text('name') || text('origin'));
  return {
    who: actor_id === undefined ? systemName(details) : people.nameOf(actor_id),
    target: called ? t`“${called}”` : target_id ? `#${target_id}` : '',
    text,
    number,
    person: (name) => withinSentence(number(name), people),
    targetPerson: targetPerson(event, people),
    successor: successor === undefined ? t`Somebody` : people.nameOf(successor),
    isOwn: target_id !== undefined && target_id === String(people.me),
    details,
  };
}

function targetPerson({ actor_id, target_id }: AuditEvent, people: People): string {
  const id = target_id === undefined ? undefined : Number(target_id);
  if (id === undefined || id !== actor_id) return withinSentence(id, people);
  return id === people.me ? t`yourself` : t`themselves`;
}

const systemName = (details: AuditEvent['details']) =>
  'platform_admin_id' in details ? t`The platform’s administrators` : 'Cogworks';

function withinSentence(userId: number | undefined, { nameOf, me }: People): string {
  if (userId === undefined) return t`somebody`;
  return userId === me ? t({ message: 'you', comment: 'Within a sentence' }) : nameOf(userId);
}
