import { graph, node } from '@cogworks/graph/examples';
import { expect, it } from 'vitest';
import { createEditor } from '../editor.ts';
import { noteSize } from '../edits/adding.ts';
import { canCopy, copiedText } from './pasting.ts';

it('copies steps and notes, and nothing where only an input or a wire is selected', () => {
  const note = { id: 'n', text: 'Ask Ada', position: { x: 0, y: 0 }, size: noteSize };
  const given = { ...graph([node('a', 1)], ['files > a.in']), notes: [note] };
  const editor = createEditor({ graph: given, definitions: new Map(), isReadOnly: false });
  const copied = (...ids: string[]) => {
    editor.select(ids);
    expect(canCopy(editor.getState())).toBe(copiedText(editor) !== undefined);
    return copiedText(editor)?.words;
  };

  expect(copied('input:files')).toBeUndefined();
  expect(copied('edge:files > a.in')).toBeUndefined();
  expect(copied('note:n')).toBe('Copied 1 note');
  expect(copied('node:a', 'note:n', 'input:files')).toBe('Copied 1 step, 1 note');
});
