import { expect, it } from 'vitest';
import { nextRow } from './next-row.ts';

const before = { steps: ['a', 'b', 'c', 'd'], notes: ['n', 'm'] };
const without = (...gone: string[]) => ({
  steps: before.steps.filter((id) => !gone.includes(id)),
  notes: before.notes.filter((id) => !gone.includes(id)),
});
const none = new Set<string>();
const after = (row: string, ...gone: string[]) =>
  nextRow(before, without(...gone), { row, selection: none });

it('is the next one below that is left, else the one above', () => {
  expect(after('b', 'b')).toBe('c');
  expect(after('b', 'b', 'c')).toBe('d');
  expect(after('c', 'b', 'c', 'd')).toBe('a');
  expect(after('d', 'd')).toBe('c');
  expect(after('n', 'n')).toBe('m');
  expect(after('m', 'm')).toBe('n');
});

it('is the row itself when others have gone', () => {
  expect(after('b', 'a', 'c')).toBe('b');
});

it('is a note after the last step, and a step after the last note', () => {
  expect(after('b', 'a', 'b', 'c', 'd')).toBe('n');
  expect(after('n', 'n', 'm')).toBe('a');
  expect(after('a', ...before.steps, ...before.notes)).toBeUndefined();
});

it('is beside what was selected when its buttons have the focus', () => {
  const selection = new Set(['b', 'c']);
  const focused = { row: undefined, selection };
  expect(nextRow(before, without('b', 'c'), focused)).toBe('d');
  expect(nextRow(before, before, focused)).toBe('b');
  expect(nextRow(before, before, { row: undefined, selection: none })).toBeUndefined();
});
