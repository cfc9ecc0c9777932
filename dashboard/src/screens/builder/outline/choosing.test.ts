import { graph, node } from '@cogworks/graph/examples';
import { beforeEach, expect, it } from 'vitest';
import { createEditor, type Editor } from '../editor.ts';
import { noteSize } from '../edits/adding.ts';
import { choose } from './choosing.ts';

const notes = ['n', 'm'].map((id) => ({ id, text: id, position: { x: 0, y: 0 }, size: noteSize }));
const given = { ...graph([node('a', 1), node('b', 1)], []), notes };
let editor: Editor;
beforeEach(() => {
  editor = createEditor({ graph: given, definitions: new Map(), isReadOnly: false });
});
const left = () => {
  const now = editor.getState().graph;
  return [...now.nodes.map(({ key }) => key), ...(now.notes ?? []).map(({ id }) => id)];
};

it('takes a step or note into the selection, and out of it again', () => {
  choose(editor, 'note:n', 'select');
  choose(editor, 'node:a', 'select');
  expect([...editor.getState().selection]).toEqual(['note:n', 'node:a']);
  choose(editor, 'note:n', 'select');
  expect([...editor.getState().selection]).toEqual(['node:a']);
});

it('deletes a note with all that is selected if it is a part of that, as one step of undo', () => {
  editor.select(['note:n', 'node:a']);
  choose(editor, 'note:n', 'delete');
  expect(left()).toEqual(['b', 'm']);
  expect(editor.getState().past).toMatchObject([{ words: 'Deleted a, 1 note' }]);
});

it('deletes a note alone if other things are selected', () => {
  editor.select(['note:n', 'node:a']);
  choose(editor, 'note:m', 'delete');
  expect(left()).toEqual(['a', 'b', 'n']);
});
