import type { Me } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { mayLookInto, maySwitch, mayUse } from './rights.ts';

const person = (id: number, role: Me['role'] = 'member') => ({ id, role }) as Me;
const [user, maker, other, admin] = [person(1), person(2), person(3), person(4, 'admin')];
const trigger = { run_as_user_id: 1, created_by: 2, enabled: true };
const off = { ...trigger, enabled: false };

describe('a trigger that somebody has taken over', () => {
  it.each([
    ['its user', user, [true, true, true, true]],
    ['its maker', maker, [true, false, true, false]],
    ['another', other, [false, false, false, false]],
    ['an admin', admin, [true, true, true, true]],
    ['nobody yet', undefined, [false, false, false, false]],
  ])('may be looked into, used, turned off and on by %s: as said', (_, me, may) => {
    expect([
      mayLookInto(trigger, me),
      mayUse(trigger, me),
      maySwitch(trigger, me),
      maySwitch(off, me),
    ]).toEqual(may);
  });
});
