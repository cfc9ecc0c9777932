import { expect, it } from 'vitest';
import { dayOf, fieldsOf, newGrant, particulars, valuesOf } from './grants.ts';

const grant = {
  permission_id: 1,
  target_type: 'cog',
  target_id: 2,
  user_id: 3,
  level: 'editor',
  created_by: 4,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
} as const;

it('lets a grant hold until the end of its last day', () => {
  const { expires_at } = valuesOf({ ...newGrant, until: '2026-12-31' });
  expect(new Date(expires_at ?? '')).toEqual(new Date('2027-01-01T00:00:00'));
  expect(dayOf(new Date(expires_at ?? ''))).toBe('2026-12-31');
});

it('leaves out what the level decides', () => {
  expect(valuesOf({ ...newGrant, can_share: true })).toEqual({ level: 'viewer', can_share: true });
});

it('gives the fields of a grant, and from them the same grant', () => {
  const given = { ...grant, can_delete: false, expires_at: new Date(2027, 0, 1).toISOString() };
  const fields = fieldsOf(given);
  expect(fields).toEqual({ ...newGrant, level: 'editor', can_delete: false, until: '2026-12-31' });
  expect(valuesOf(fields)).toEqual({
    level: 'editor',
    can_delete: false,
    expires_at: given.expires_at,
  });
});

it('says what is particular, and when it has expired', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  expect(particulars(grant, now)).toEqual([]);
  expect(
    particulars({ ...grant, can_share: true, expires_at: '2026-05-01T00:00:00Z' }, now),
  ).toEqual(['may share', 'expired']);
  const end = new Date(2027, 0, 1).toISOString();
  expect(particulars({ ...grant, expires_at: end }, now)).toEqual(['until 31 Dec 2026']);
});
