import { describe, expect, it } from 'vitest';
import { affectedOf } from './affected.ts';

const none = { count: 0, first: [] };
const nothing = {
  api_keys: none,
  sessions: { count: 0 },
  triggers: none,
  notices: none,
  runs: none,
  invitations: none,
  workflows: none,
  cogs: none,
};
const named = (count: number, ...names: string[]) => ({
  count,
  first: names.map((name, id) => ({ id, name })),
});

describe('what disabling a person does', () => {
  it('names a few of each kind, and says where there are more', () => {
    const preview = {
      ...nothing,
      sessions: { count: 2 },
      api_keys: named(1, 'Nightly import'),
      triggers: named(5, 'a', 'b', 'c', 'd', 'e'),
      cogs: named(10_000, 'x'),
    };

    expect(affectedOf(preview)).toEqual({
      stops: ['2 sessions', '1 API key: Nightly import', '5 triggers: a, b, c, …'],
      stays: ['10,000 files and folders or more: x, …'],
    });
  });

  it('leaves out what there is none of', () => {
    expect(affectedOf(nothing)).toEqual({ stops: [], stays: [] });
  });
});
