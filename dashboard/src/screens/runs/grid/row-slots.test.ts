import { expect, it } from 'vitest';
import { RowSlots } from './row-slots.ts';

const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);

it('an element whose row has left shows one that has come, at its place', () => {
  const slots = new RowSlots();
  const before = slots.show(from(0, 4), true);
  const after = slots.show(from(2, 4), true);
  expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  expect(after.map(({ row }) => row)).toEqual([4, 5, 2, 3]);
});

it('a row keeps its element while it is shown', () => {
  const slots = new RowSlots();
  const keyOf = new Map(slots.show(from(0, 30), true).map(({ row, key }) => [row, key]));
  const after = slots.show(from(7, 30), true);
  for (const { row, key } of after.filter((slot) => slot.row < 30))
    expect(keyOf.get(row)).toBe(key);
});

it('at rest the elements are in the order of their rows', () => {
  const slots = new RowSlots();
  slots.show(from(0, 10), true);
  slots.show(from(4, 10), true);
  expect(slots.show(from(4, 10), false).map(({ row }) => row)).toEqual(from(4, 10));
});

it('there are as many elements as rows', () => {
  const slots = new RowSlots();
  for (const [first, count] of [
    [0, 3],
    [1, 6],
    [40, 2],
    [0, 0],
    [9, 5],
  ] as const) {
    const shown = slots.show(from(first, count), true);
    expect(shown.map(({ row }) => row).sort((a, b) => a - b)).toEqual(from(first, count));
    expect(new Set(shown.map(({ key }) => key)).size).toBe(count);
  }
});
