import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GrantOnTheWay, type Move, type MovePlan, planMove } from './moves.ts';
import type { Grant } from './rules.ts';

const now = Date.parse('2026-01-01T00:00:00.000Z');
const hours = (count: number) => new Date(now + count * 3_600_000).toISOString();
const [mover, other] = [1, 2];

let ids = 0;
const grant = (
  user_id: number,
  distance: number,
  level: Grant['level'],
  extra: Partial<GrantOnTheWay> = {},
): GrantOnTheWay => ({ permission_id: ++ids, user_id, distance, level, ...extra });

const remover = { can_delete: true };

const plan = (move: Partial<Move>): MovePlan =>
  planMove({
    mover: { user_id: mover, role: 'member' },
    before: [],
    target: [],
    below: [],
    now,
    ...move,
  });

describe('a move', () => {
  const above = grant(mover, 2, 'editor');
  const cases: { name: string; move: Partial<Move>; expected: MovePlan }[] = [
    {
      name: 'inside the folder that gives the mover access writes nothing',
      move: { before: [above], target: [{ ...above, distance: 3 }] },
      expected: { grants: [] },
    },
    {
      name: 'out of it needs the right to delete',
      move: { before: [above], target: [grant(mover, 0, 'owner')] },
      expected: { refused: 'removal' },
    },
    {
      name: 'needs that right on what lies below as well',
      move: {
        before: [grant(mover, 1, 'editor', remover)],
        target: [grant(mover, 0, 'owner')],
        below: [{ level: 'viewer' }],
      },
      expected: { refused: 'removal' },
    },
    {
      name: 'holds the mover down to what they had',
      move: { before: [grant(mover, 1, 'editor', remover)], target: [grant(mover, 0, 'owner')] },
      expected: { grants: [{ user_id: mover, level: 'editor', can_delete: true }] },
    },
    {
      name: 'keeps what the mover had where the place gives nothing, for as long as they had it',
      move: { before: [grant(mover, 1, 'editor', { ...remover, expires_at: hours(2) })] },
      expected: {
        grants: [{ user_id: mover, level: 'editor', can_delete: true, expires_at: hours(2) }],
      },
    },
    {
      name: 'keeps every owner one',
      move: { before: [grant(mover, 1, 'owner'), grant(other, 3, 'owner')] },
      expected: {
        grants: [
          { user_id: mover, level: 'owner' },
          { user_id: other, level: 'owner' },
        ],
      },
    },
    {
      name: 'keeps an owner for as long as they are one, whichever grants make them that',
      move: {
        before: [
          grant(mover, 1, 'owner'),
          grant(other, 1, 'owner', { expires_at: hours(1) }),
          grant(other, 2, 'owner', { can_delete: false, expires_at: hours(2) }),
          grant(other, 3, 'viewer'),
        ],
        target: [grant(mover, 0, 'owner')],
      },
      expected: {
        grants: [{ user_id: other, level: 'owner', can_delete: false, expires_at: hours(2) }],
      },
    },
    {
      name: 'gives others what they have there, but no more than the mover has',
      move: {
        before: [grant(mover, 1, 'editor', remover)],
        target: [grant(mover, 0, 'viewer'), grant(other, 1, 'owner')],
      },
      expected: { grants: [{ user_id: other, level: 'editor', can_delete: true }] },
    },
    {
      name: 'gives others no more than the mover has on what lies below',
      move: {
        before: [grant(mover, 1, 'owner')],
        target: [grant(mover, 0, 'owner'), grant(other, 0, 'owner')],
        below: [{ level: 'viewer', can_delete: true }],
      },
      expected: { grants: [{ user_id: other, level: 'viewer', can_delete: true }] },
    },
    {
      name: 'holds others down only for as long as the place gives them something',
      move: {
        before: [grant(mover, 1, 'editor', remover)],
        target: [grant(mover, 0, 'viewer'), grant(other, 1, 'owner', { expires_at: hours(3) })],
      },
      expected: {
        grants: [{ user_id: other, level: 'editor', can_delete: true, expires_at: hours(3) }],
      },
    },
    {
      name: 'is refused where access that ends would not end',
      move: {
        before: [grant(mover, 1, 'editor', { ...remover, expires_at: hours(2) })],
        target: [grant(mover, 0, 'owner')],
      },
      expected: { refused: 'outlasts', at: Date.parse(hours(2)) },
    },
    {
      name: 'changes no grant that somebody has on the cog itself',
      move: {
        before: [
          grant(mover, 1, 'editor', remover),
          grant(other, 0, 'viewer', { expires_at: hours(1) }),
        ],
        target: [grant(mover, 0, 'editor'), grant(other, 0, 'owner')],
      },
      expected: { refused: 'outlasts', at: Date.parse(hours(1)) },
    },
    {
      name: 'of what is shared by itself is a removal when somebody does not see it any more',
      move: { before: [grant(mover, 0, 'editor'), grant(other, 1, 'viewer')] },
      expected: { refused: 'removal' },
    },
    {
      name: 'of what is shared by itself takes the grant along',
      move: { before: [grant(mover, 0, 'editor')], target: [grant(mover, 0, 'owner')] },
      expected: { grants: [] },
    },
    {
      name: 'by an admin of the tenant takes nothing from its owners and holds nobody down',
      move: {
        mover: { user_id: 9, role: 'admin' },
        before: [grant(other, 1, 'owner')],
        target: [grant(mover, 0, 'owner')],
      },
      expected: { grants: [{ user_id: other, level: 'owner' }] },
    },
  ];
  for (const { name, move, expected } of cases) {
    it(name, () => assert.deepEqual(plan(move), expected));
  }
});
