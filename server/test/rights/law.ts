/** The law of rights, checked between the state before a call and the state after it. */
import assert from 'node:assert/strict';
import { bits, isBelow, momentsOf, rightsAt, type State, wayUp } from './reference.ts';

export type Person = { id: number; role: 'admin' | 'member' };

export type Step = {
  by: Person;
  /** What the call was, for the message. */
  what: string;
  /** The cog it moved or deleted, if it did. */
  moved?: number;
  before: State;
  after: State;
  now: number;
};

/**
 * By one person's call nobody gets a right on anything, now or later, that they did not have:
 * the person themselves none at all, others none that the person does not have at that moment.
 */
export function checkLaw(people: readonly Person[], step: Step): void {
  const { by, before, after, now, what } = step;
  const members = people.filter(({ role }) => role === 'member');
  const moments = momentsOf(now, before, after);
  for (const id of before.cogs.keys()) {
    for (const at of moments) {
      const givers = by.role === 'admin' ? 63 : rightsAt(before, by.id, id, at);
      for (const { id: userId } of members) {
        const had = rightsAt(before, userId, id, at);
        const has = rightsAt(after, userId, id, at);
        const gained = has & ~(had | (userId === by.id ? 0 : givers));
        const when = at === now ? 'now' : new Date(at).toISOString();
        assert.equal(gained, 0, `${what}: user ${userId} gains ${gained} on ${id} ${when}`);
      }
    }
    checkRemoval(step, id);
  }
  if (step.moved !== undefined) checkOwners(members, step, step.moved);
}

/** Nothing disappears that the caller might not delete. */
function checkRemoval({ by, before, after, now, what }: Step, id: number) {
  if (by.role === 'admin' || wayUp(before, id).length === 0 || wayUp(after, id).length > 0) return;
  const may = rightsAt(before, by.id, id, now) & bits.delete;
  assert.ok(may, `${what}: ${id} disappeared by somebody who may not delete it`);
}

/** Whoever owned what was moved owns it still, and so what lies below it. */
function checkOwners(members: readonly Person[], step: Step, moved: number) {
  const { before, after, now, what, by } = step;
  const ids = [...before.cogs.keys()].filter((id) => id === moved || isBelow(before, id, moved));
  for (const id of ids) {
    for (const member of members) {
      const had = rightsAt(before, member.id, id, now);
      const has = rightsAt(after, member.id, id, now);
      if (had & bits.own) assert.ok(has & bits.own, `${what}: ${member.id} lost ${id}`);
      if (had && member.id === by.id) assert.ok(has, `${what}: the mover lost sight of ${id}`);
    }
  }
}
