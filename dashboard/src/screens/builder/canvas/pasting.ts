/** Nodes as text: what is copied here is pasted in any workflow. */
import { type Additions, copyText, readPasted, withPasted } from '@cogworks/graph/edit/clipboard';
import { plural } from '../../../ui/format.ts';
import type { Editor } from '../editor.ts';
import { placesNow, selectedKeys, withPlaces } from './commands.ts';
import { idIn, nodeId, noteId } from './flow.ts';

/** What is selected, as text; undefined if that is nothing that can be copied. */
export function copiedText(editor: Editor): { text: string; words: string } | undefined {
  const state = editor.getState();
  const keys = new Set(selectedKeys(state));
  const notes = new Set([...state.selection].flatMap((id) => idIn('note', id) ?? []));
  if (keys.size + notes.size === 0) return undefined;
  // With the positions that they are seen at.
  const graph = withPlaces(state.graph, state.definitions);
  const parts = [
    keys.size > 0 ? plural(keys.size, 'step') : '',
    notes.size > 0 ? plural(notes.size, 'note') : '',
  ];
  return {
    text: copyText(graph, state.definitions, keys, notes),
    words: `Copied ${parts.filter(Boolean).join(', ')}`,
  };
}

export type PasteResult = { words: string; remarks: readonly string[] } | { refused: string };

/** One step of undo; what was pasted is selected. */
export function paste(editor: Editor, text: string, at?: { x: number; y: number }): PasteResult {
  const { graph, definitions } = editor.getState();
  const read = readPasted(text, graph, definitions, at);
  if ('refused' in read) return read;
  const { additions, remarks } = read;
  const words = `Pasted ${wordsOf(additions)}`;
  editor.edit(words, (now) => withPasted(withPlaces(now, definitions), additions));
  editor.select([
    ...additions.nodes.map(({ key }) => nodeId(key)),
    ...additions.notes.map(({ id }) => noteId(id)),
  ]);
  return { words, remarks };
}

const wordsOf = ({ nodes, notes }: Additions) =>
  [
    nodes.length > 0 ? plural(nodes.length, 'step') : '',
    notes.length > 0 ? plural(notes.length, 'note') : '',
  ]
    .filter(Boolean)
    .join(', ');

/** Below what is there, so that nothing is pasted on something else. */
export function placeBelow(editor: Editor): { x: number; y: number } | undefined {
  const { nodes } = placesNow(editor.getState());
  if (nodes.size === 0) return undefined;
  const places = [...nodes.values()];
  return {
    x: Math.min(...places.map(({ x }) => x)),
    y: Math.max(...places.map(({ y }) => y)) + 200,
  };
}
