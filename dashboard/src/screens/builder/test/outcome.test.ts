import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { expect, it } from 'vitest';
import { firstFailure } from './outcome.ts';

it('of many failures, the one that came first is shown', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
  const run = (id: number, status: NodeRun['status'], second: number) =>
    ({ id, status, finished_at: at(second) }) as NodeRun;
  const early = run(3, 'failure', 4);
  const runs = [run(1, 'success', 1), run(2, 'failure', 6), early];
  expect(firstFailure(runs)).toBe(early);
  expect(firstFailure(runs.slice(0, 1))).toBeUndefined();
});
