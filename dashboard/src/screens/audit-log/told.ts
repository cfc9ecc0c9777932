/** What the sentence of an event is made of. Pure. */
import type { AuditEvent } from '@cogworks/sdk/contract.gen';

/** `You`, a name, or the id of somebody unknown. */
export type NameOf = (userId: number) => string;

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
  details: AuditEvent['details'];
};

/** Sentences by action. */
export type Words = Record<string, (told: Told) => string>;

export function toldOf(event: AuditEvent, nameOf: NameOf): Told {
  const { actor_id, target_id, target_name, details } = event;
  const text = (name: string) => {
    const value = details[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const number = (name: string) => {
    const value = details[name];
    return typeof value === 'number' ? value : undefined;
  };
  const person = (name: string) => {
    const id = number(name);
    return id === undefined ? 'somebody' : withinSentence(nameOf(id));
  };
  const called = target_name ?? (text('name') || text('origin'));
  return {
    who: actor_id === undefined ? systemName(details) : nameOf(actor_id),
    target: called ? `“${called}”` : target_id ? `#${target_id}` : '',
    text,
    number,
    person,
    targetPerson: targetPerson(event, nameOf),
    details,
  };
}

function targetPerson({ actor_id, target_id }: AuditEvent, nameOf: NameOf): string {
  if (target_id === undefined) return 'somebody';
  const name = nameOf(Number(target_id));
  if (target_id === String(actor_id)) return name === 'You' ? 'yourself' : 'themselves';
  return withinSentence(name);
}

const systemName = (details: AuditEvent['details']) =>
  'platform_admin_id' in details ? 'The platform’s administrators' : 'Cogworks';

const withinSentence = (name: string) => (name === 'You' ? 'you' : name);
