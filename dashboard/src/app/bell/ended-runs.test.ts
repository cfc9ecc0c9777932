import type { ToldRun } from '@cogworks/sdk/run-events';
import { expect, it } from 'vitest';
import { endedIn, endedOf, seenUntil, unreadOf, withEnded } from './ended-runs.ts';

const run = (id: number, second?: number, started_by = 1): ToldRun =>
  ({
    ...{ id, started_by, workflow_id: 1, status: second === undefined ? 'running' : 'success' },
    ...(second !== undefined && { finished_at: `2026-01-01T00:00:0${second}Z` }),
  }) as ToldRun;
const ids = (runs: readonly { id: number }[]) => runs.map(({ id }) => id);

it('has those that have ended, newest first', () => {
  expect(ids(endedOf([run(1, 1), run(2), run(3, 3), run(4, 2)]))).toEqual([3, 4, 1]);
});

it('takes from events the ends of runs of the user, each once', () => {
  const told = (data: ToldRun) => endedIn({ event: 'run', data }, 1);
  expect(told(run(5))).toBeUndefined();
  expect(told(run(5, 1, 2))).toBeUndefined();
  expect(endedIn({ event: 'run', data: { id: 5, deleted: true } }, 1)).toBeUndefined();
  const ended = told(run(5, 4));
  expect(ended?.id).toBe(5);
  const runs = withEnded(endedOf([run(1, 1), run(5, 3)]), ended as NonNullable<typeof ended>);
  expect(ids(runs)).toEqual([5, 1]);
});

it('counts those that ended after the list was last seen', () => {
  const runs = endedOf([run(1, 1), run(2, 2), run(3, 3)]);
  expect(unreadOf(runs, Date.parse('2026-01-01T00:00:01Z'))).toBe(2);
});

it('has seen what the list has, whatever the clock of this machine says', () => {
  const runs = endedOf([run(1, 1), run(2, 2)]);
  const seen = seenUntil(runs, Date.parse('2031-01-01T00:00:00Z'));
  expect(unreadOf(runs, seen)).toBe(0);
  expect(unreadOf(endedOf([run(1, 1), run(2, 2), run(3, 3)]), seen)).toBe(1);
  expect(seenUntil([], 7)).toBe(7);
});
