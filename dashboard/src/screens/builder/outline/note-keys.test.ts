import { expect, it } from 'vitest';
import { noteActionOf } from './note-keys.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const action = (key: string, more: Partial<typeof none> = {}, isReadOnly = false) =>
  noteActionOf({ key, ...none, ...more }, isReadOnly);

it('a note has the keys of a step', () => {
  expect(['Delete', 'Backspace', 'F2', ' ', 'Escape', '?', 'x'].map((key) => action(key))).toEqual([
    ...['delete', 'delete', 'change', 'select', 'select-none', 'keys', undefined],
  ]);
  expect(action('a', { ctrlKey: true })).toBe('select-all');
});

it('nothing is deleted with another key held, nor where the graph may only be read', () => {
  for (const held of ['ctrlKey', 'metaKey', 'altKey', 'shiftKey']) {
    expect(action('Backspace', { [held]: true })).toBeUndefined();
  }
  expect(action('Delete', {}, true)).toBeUndefined();
  expect(action(' ', {}, true)).toBe('select');
});
