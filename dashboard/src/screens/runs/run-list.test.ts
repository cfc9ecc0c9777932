import type { WorkflowRunSummary } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { hasOtherRows, withTold } from './run-list.ts';

const row = (id: number, status = 'running') =>
  ({ id, status, workflow_id: 1, extra_variables: { a: 1 } }) as unknown as WorkflowRunSummary;
const told = (id: number, status = 'running') => {
  const { extra_variables: _, ...rest } = row(id, status);
  return rest;
};
const rows = [row(9), row(7)];

describe('a list of runs', () => {
  it('shows what was told of a run, and keeps the rest', () => {
    expect(rows.map((one) => withTold(one, told(7, 'success')))).toEqual([
      row(9),
      row(7, 'success'),
    ]);
  });

  it.each([
    ['a run that it shows', {}, told(7, 'success'), false],
    ['a new run', {}, told(10), true],
    ['a run of a later page', {}, told(3), false],
    ['a new run of another workflow', { workflow_id: 2 }, told(10), false],
    ['a run that now has the status', { status: 'running' }, told(3), true],
    ['a run that has the status no more', { status: 'running' }, told(7, 'success'), true],
    ['a run that still has it', { status: 'running' }, told(7), false],
    ['a run that was deleted', {}, { id: 7, deleted: true }, true],
    ['another one that was', {}, { id: 3, deleted: true }, false],
  ] as const)('has to be read for %s: %o', (_, filter, event, expected) => {
    expect(hasOtherRows(rows, filter, event)).toBe(expected);
  });
});
