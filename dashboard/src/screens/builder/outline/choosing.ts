/** How steps and notes of the list are selected and deleted: alike. */

import type { Editor } from '../editor.ts';
import { deleteSelected } from '../edits/deleting.ts';
import { everythingIn } from '../selection.ts';

export type Choosing = 'select' | 'select-all' | 'select-none' | 'delete';

/** @param id of the step or note, as in the selection. */
export function choose(editor: Editor, id: string, action: Choosing): void {
  const { graph, selection } = editor.getState();
  switch (action) {
    case 'select':
      editor.select(without(selection, id) ?? [...selection, id]);
      break;
    case 'select-all':
      editor.select(everythingIn(graph));
      break;
    case 'select-none':
      editor.select([]);
      break;
    case 'delete':
      // As on the canvas, all that is selected, if this is a part of it.
      if (!selection.has(id)) editor.select([id]);
      deleteSelected(editor);
  }
}

/** Undefined if it was not in it. */
const without = (selection: ReadonlySet<string>, id: string) =>
  selection.has(id) ? [...selection].filter((one) => one !== id) : undefined;
