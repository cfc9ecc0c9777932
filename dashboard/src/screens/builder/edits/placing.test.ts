import { definition, graph, node } from '@cogworks/graph/examples';
import { canonicalJson } from '@cogworks/graph/hash';
import { expect, it } from 'vitest';
import { createEditor } from '../editor.ts';
import { moveSelectedBy, tidy } from './placing.ts';

it('tidies two thousand steps as one step of undo', () => {
  const keys = Array.from({ length: 2000 }, (_, at) => `n${at}`);
  const wires = keys.slice(1).map((key, at) => `n${Math.floor(at / 2)}.out > ${key}.in`);
  const start = graph(
    keys.map((key) => node(key, 1, { position: { x: 0, y: 0 } })),
    wires,
  );
  const definitions = new Map([[1, definition(1, ['in'], ['out'])]]);
  const editor = createEditor({ graph: start, definitions, isReadOnly: false });

  tidy(editor);
  const { graph: tidied, past } = editor.getState();

  expect(past.length).toBe(1);
  const places = tidied.nodes.map(({ position }) => `${position?.x} ${position?.y}`);
  expect(new Set(places).size).toBe(2000);
  editor.undo();
  expect(canonicalJson(editor.getState().graph)).toBe(canonicalJson(start));
});

it('moves all that is chosen by arrow keys as one step of undo', () => {
  const start = graph(
    ['a', 'b', 'c', 'd'].map((key, at) => node(key, 1, { position: { x: at, y: 0 } })),
    [],
  );
  const editor = createEditor({ graph: start, definitions: new Map(), isReadOnly: false });
  editor.select(['node:a', 'node:b', 'node:c']);

  for (let presses = 0; presses < 3; presses++) moveSelectedBy(editor, { x: 0, y: 20 }, 'keys');

  const heights = () => editor.getState().graph.nodes.map(({ position }) => position?.y);
  expect(heights()).toEqual([60, 60, 60, 0]);
  expect(editor.getState().past.length).toBe(1);
  editor.undo();
  expect(heights()).toEqual([0, 0, 0, 0]);
});
