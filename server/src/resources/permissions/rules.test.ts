import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Access,
  accessBy,
  accessIn,
  allows,
  covers,
  decidingGrants,
  type Grant,
  type Level,
  levels,
  losesItsOwner,
  type Need,
  ownership,
  ownsWhatIsInside,
  type PlacedGrant,
} from './rules.ts';

const needs: Need[] = ['view', 'upload', 'edit', 'delete', 'share'];
const choices = [undefined, true, false];

/** Every level with every combination of overrides: 81 grants. */
const allGrants: Grant[] = levels.flatMap((level) =>
  choices.flatMap((can_upload) =>
    choices.flatMap((can_share) =>
      choices.map((can_delete) => ({
        level,
        ...(can_upload === undefined ? {} : { can_upload }),
        ...(can_share === undefined ? {} : { can_share }),
        ...(can_delete === undefined ? {} : { can_delete }),
      })),
    ),
  ),
);

describe('a level', () => {
  const table: Record<Level, Record<Need, boolean>> = {
    viewer: { view: true, upload: false, edit: false, delete: false, share: false },
    editor: { view: true, upload: true, edit: true, delete: false, share: false },
    owner: { view: true, upload: true, edit: true, delete: true, share: true },
  };
  for (const level of levels) {
    for (const need of needs) {
      it(`${level} ${table[level][need] ? 'allows' : 'refuses'} ${need}`, () => {
        assert.equal(allows(accessBy({ level }), need), table[level][need]);
      });
    }
  }

  it('is overridden either way by each capability, which alone decides what it names', () => {
    for (const grant of allGrants) {
      const access = accessBy(grant);
      const usual = accessBy({ level: grant.level });
      assert.equal(access.can_upload, grant.can_upload ?? usual.can_upload);
      assert.equal(access.can_share, grant.can_share ?? usual.can_share);
      assert.equal(access.can_delete, grant.can_delete ?? usual.can_delete);
      assert.equal(allows(access, 'view'), true);
      assert.equal(allows(access, 'upload'), access.can_upload);
      assert.equal(allows(access, 'share'), access.can_share);
      assert.equal(allows(access, 'delete'), access.can_delete);
      assert.equal(allows(access, 'edit'), access.can_upload && grant.level !== 'viewer');
    }
  });
});

describe('what somebody may do', () => {
  it('is everything for an admin of the tenant, whatever is granted', () => {
    for (const grant of [undefined, ...allGrants]) {
      for (const is_root of [true, false]) {
        assert.deepEqual(accessIn({ role: 'admin', is_root, grant }), ownership);
      }
    }
  });

  it('is nothing for a member without a grant, except to see the root and create in it', () => {
    assert.equal(accessIn({ role: 'member', is_root: false }), undefined);
    assert.deepEqual(accessIn({ role: 'member', is_root: true }), {
      level: 'viewer',
      can_upload: true,
      can_share: false,
      can_delete: false,
    });
    for (const need of needs) assert.equal(allows(undefined, need), false);
  });

  it('is the same in the folder of all results as in the root', () => {
    for (const grant of [undefined, ...allGrants]) {
      assert.deepEqual(
        accessIn({ role: 'member', is_root: false, is_outputs: true, grant }),
        accessIn({ role: 'member', is_root: true, grant }),
      );
    }
  });

  it('to the folder of a test is the same as elsewhere, but for putting something into it', () => {
    for (const role of ['admin', 'member'] as const)
      for (const grant of [undefined, ...allGrants]) {
        const usual = accessIn({ role, is_root: false, grant });
        assert.deepEqual(
          accessIn({ role, is_root: false, is_test_results: true, grant }),
          usual && { ...usual, can_upload: false },
        );
      }
  });

  it('is what the deciding grant says; at the root creating stays, unless it says no', () => {
    for (const grant of allGrants) {
      assert.deepEqual(accessIn({ role: 'member', is_root: false, grant }), accessBy(grant));
      assert.deepEqual(accessIn({ role: 'member', is_root: true, grant }), {
        ...accessBy(grant),
        can_upload: grant.can_upload ?? true,
      });
    }
  });

  it('covers another access when it has its level and every capability of it', () => {
    const all = allGrants.map(accessBy);
    const within = (part: boolean, whole: boolean) => whole || !part;
    for (const held of all) {
      for (const other of all) {
        const expected =
          levels.indexOf(other.level) <= levels.indexOf(held.level) &&
          within(other.can_upload, held.can_upload) &&
          within(other.can_share, held.can_share) &&
          within(other.can_delete, held.can_delete);
        assert.equal(covers(held, other), expected);
      }
      assert.equal(covers(ownership, held), true);
    }
  });

  it('makes a creator own by inheritance only what is owned without any restriction', () => {
    for (const grant of allGrants) {
      const access: Access = accessBy(grant);
      const isOwnership = Object.values(access).every(
        (value) => value === true || value === 'owner',
      );
      assert.equal(ownsWhatIsInside(access), isOwnership);
    }
    assert.equal(ownsWhatIsInside(undefined), false);
  });
});

const now = new Date('2026-01-01T00:00:00Z');
const past = '2025-12-31T23:59:59.999Z';
const future = '2026-01-01T00:00:00.001Z';
const placed = (user_id: number, distance: number, level: Level, expires_at?: string) =>
  ({ user_id, distance, level, ...(expires_at ? { expires_at } : {}) }) satisfies PlacedGrant;

describe('the deciding grant', () => {
  it('is the nearest, in any order, and each user has their own', () => {
    const near = placed(1, 0, 'viewer');
    const far = placed(1, 3, 'owner');
    const other = placed(2, 2, 'editor');
    assert.deepEqual(decidingGrants([far, other, near], now), [near, other]);
    assert.deepEqual(decidingGrants([near, other, far], now), [near, other]);
  });

  it('is not one that has expired, to the millisecond', () => {
    const far = placed(1, 3, 'owner');
    const expired = placed(1, 0, 'viewer', past);
    const alive = placed(1, 0, 'viewer', future);
    assert.deepEqual(decidingGrants([expired, far], now), [far]);
    assert.deepEqual(decidingGrants([placed(1, 0, 'viewer', now.toISOString()), far], now), [far]);
    assert.deepEqual(decidingGrants([alive, far], now), [alive]);
  });
});

describe('the last owner', () => {
  const cases: [string, PlacedGrant[], PlacedGrant[], boolean][] = [
    ['goes', [placed(1, 0, 'owner')], [], true],
    ['is lowered', [placed(1, 0, 'owner')], [placed(1, 0, 'editor')], true],
    ['gets an end', [placed(1, 0, 'owner')], [placed(1, 0, 'owner', future)], true],
    [
      'is overridden nearer',
      [placed(1, 2, 'owner')],
      [placed(1, 2, 'owner'), placed(1, 0, 'viewer')],
      true,
    ],
    ['with an end goes', [placed(1, 0, 'owner', future)], [], true],
    ['had expired', [placed(1, 0, 'owner', past)], [], false],
    ['was never there', [placed(1, 0, 'editor')], [], false],
    [
      'is not the last',
      [placed(1, 0, 'owner'), placed(2, 0, 'owner')],
      [placed(2, 0, 'owner')],
      false,
    ],
    [
      'is followed by one above',
      [placed(1, 0, 'owner'), placed(2, 4, 'owner')],
      [placed(2, 4, 'owner')],
      false,
    ],
    [
      'leaves one with an end',
      [placed(1, 0, 'owner'), placed(2, 0, 'owner', future)],
      [placed(2, 0, 'owner', future)],
      true,
    ],
  ];
  for (const [what, before, after, loses] of cases) {
    it(`${loses ? 'is missed' : 'is not missed'} when the owner ${what}`, () => {
      assert.equal(losesItsOwner(before, after, now), loses);
    });
  }
});
