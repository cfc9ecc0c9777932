/** The invariants of rights, checked between the states before and after a call. */
import assert from 'node:assert/strict';
import { bits, isBelow, momentsOf, rightsAt, type State, wayUp } from './reference.ts';

export type Person = { id: number; role: 'admin' | 'member' };

export type Step = {
  by: Person;
  /** What the call was, for the message. */
  what: string;
  /** The cog it moved or deleted, if any. */
  moved?: number;
  before: State;
  after: State;
  now: number;
};

/**
 * No call gives anybody a right that they did not have, now or later: the caller gets none at all,
 * others none that the caller does not have at that time.
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

/** Nothing disappears that the caller could not delete. */
function checkRemoval({ by, before, after, now, what }: Step, id: number) {
  if (by.role === 'admin' || wayUp(before, id).length === 0 || wayUp(after, id).length > 0) return;
  const may = rightsAt(before, by.id, id, now) & bits.delete;
  assert.ok(may, `${what}: ${id} disappeared by somebody who may not delete it`);
}

/** Owners of what was moved still own it, and everything below. */
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
