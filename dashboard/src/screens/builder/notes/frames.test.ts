import { graph, node } from '@cogworks/graph/examples';
import type { GraphNote } from '@cogworks/graph/types';
import { expect, it } from 'vitest';
import { framesOfSteps, inFrames, nameOfNote } from './frames.ts';

const note = (id: string, text: string, node_keys?: string[]): GraphNote => ({
  ...{ id, text, position: { x: 0, y: 0 }, size: { width: 200, height: 80 } },
  ...(node_keys && { node_keys }),
});
const withNotes = (...notes: GraphNote[]) => ({
  ...graph([node('a', 1), node('b', 1)], []),
  notes,
});

it('a note is called by its first line, without marks', () => {
  const names = ['## **Read** all\nmore', '\n- see [this](https://a.test)', ' ', 'x'.repeat(90)];
  expect(names.map((text) => nameOfNote(note('n', text)))).toEqual([
    ...['Read all', 'see this', 'Note', `${'x'.repeat(79)}…`],
  ]);
  expect(nameOfNote(note('n', '', ['a']))).toBe('Frame');
});

it('a step knows the frames around it', () => {
  const given = withNotes(
    note('1', 'First', ['a', 'b']),
    note('2', 'Second', ['b']),
    note('3', 'x'),
  );
  expect([...framesOfSteps(given)]).toEqual([
    ['a', ['First']],
    ['b', ['First', 'Second']],
  ]);
});

it('a step is put into frames and taken out of others; all others stay the same objects', () => {
  const given = withNotes(note('1', 'First', ['a']), note('2', 'Second', ['b']), note('3', 'x'));
  const now = inFrames(given, 'a', new Set(['2']));
  expect(now.notes?.map(({ node_keys }) => node_keys)).toEqual([[], ['b', 'a'], undefined]);
  expect(now.notes?.[2]).toBe(given.notes[2]);
  expect(inFrames(given, 'a', new Set(['1']))).toBe(given);
});
