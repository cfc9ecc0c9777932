import { expect, it } from 'vitest';
import { barsOf, placeOn } from './bars.ts';

const at = (second: number) => new Date(second * 1000).toISOString();
const attempt = (number: number, status: 'failure' | 'success' | 'running', ...times: number[]) => {
  const [leased = 0, started, finished] = times;
  return {
    ...{ number, status, worker_id: 1, leased_at: at(leased) },
    ...(started === undefined ? {} : { started_at: at(started) }),
    ...(finished === undefined ? {} : { finished_at: at(finished) }),
  };
};
const seconds = (...args: Parameters<typeof barsOf>) =>
  barsOf(...args).map(({ phase, from, to }) => [phase, from / 1000, to / 1000]);

it('each try waits, gets ready and runs', () => {
  const attempts = [attempt(1, 'failure', 2, 5, 9), attempt(2, 'success', 14, 15, 20)];
  expect(seconds({ queued_at: at(0), finished_at: at(20), attempts }, 99_000)).toEqual([
    ['waiting', 0, 2],
    ['preparing', 2, 5],
    ['failed', 5, 9],
    ['waiting', 9, 14],
    ['preparing', 14, 15],
    ['running', 15, 20],
  ]);
});

it('what has not ended goes on until now', () => {
  expect(seconds({ queued_at: at(0), attempts: [] }, 7000)).toEqual([['waiting', 0, 7]]);
  const running = [attempt(1, 'running', 2, 3)];
  expect(seconds({ queued_at: at(0), attempts: running }, 8000).at(-1)).toEqual(['running', 3, 8]);
  const again = [attempt(1, 'failure', 2, 3, 4)];
  expect(seconds({ queued_at: at(0), attempts: again }, 6000).at(-1)).toEqual(['waiting', 4, 6]);
});

it('nothing is drawn of what was never queued', () => {
  expect(barsOf({ attempts: [] }, 5000)).toEqual([]);
});

it('bars stand on a scale', () => {
  const bar = { phase: 'running', attempt: 1, from: 25, to: 75 } as const;
  expect(placeOn({ from: 0, to: 100 }, bar)).toEqual({ left: 25, width: 50 });
});
