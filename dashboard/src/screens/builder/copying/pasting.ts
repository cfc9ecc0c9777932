/** Nodes as text: what is copied here is pasted in any workflow. */
import { copyText, readPasted, withPasted } from '@cogworks/graph/edit/clipboard';
import { t } from '@lingui/core/macro';
import type { Editor, EditorState } from '../editor.ts';
import { stepsAndNotes } from '../edits/counted.ts';
import { placesNow, withPlaces } from '../edits/placing.ts';
import { idIn, nodeId, noteId, selectedKeys } from '../selection.ts';

/** Inputs and wires have no meaning without the steps around them. */
export const canCopy = ({ selection }: Pick<EditorState, 'selection'>) =>
  [...selection].some((id) => idIn('node', id) !== undefined || idIn('note', id) !== undefined);

/** What is selected, as text; undefined if that is nothing that can be copied. */
export function copiedText(editor: Editor): { text: string; words: string } | undefined {
  const state = editor.getState();
  if (!canCopy(state)) return undefined;
  const keys = new Set(selectedKeys(state));
  const notes = new Set([...state.selection].flatMap((id) => idIn('note', id) ?? []));
  // With the positions that they are seen at.
  const graph = withPlaces(state.graph, state.definitions);
  const things = stepsAndNotes(keys.size, notes.size);
  return {
    text: copyText(graph, state.definitions, keys, notes),
    words: t`Copied ${things}`,
  };
}

export type PasteResult = { words: string; remarks: readonly string[] } | { refused: string };

/** One step of undo; what was pasted is selected. */
export function paste(editor: Editor, text: string, at?: { x: number; y: number }): PasteResult {
  const { graph, definitions } = editor.getState();
  const read = readPasted(text, graph, definitions, at);
  if ('refused' in read) return read;
  const { additions, remarks } = read;
  const things = stepsAndNotes(additions.nodes.length, additions.notes.length);
  const words = t`Pasted ${things}`;
  editor.edit(words, (now) => withPasted(withPlaces(now, definitions), additions));
  editor.select([
    ...additions.nodes.map(({ key }) => nodeId(key)),
    ...additions.notes.map(({ id }) => noteId(id)),
  ]);
  return { words, remarks };
}

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
