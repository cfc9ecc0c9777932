/** Edits of fields: all that is typed from entering a field to leaving it is one step of undo. */
import type { Graph } from '@cogworks/graph/types';
import { useMemo, useRef } from 'react';
import { useEditor } from '../editor.ts';

let visits = 0;

export type FieldEdits = {
  /** For the element around all fields. */
  onFocusCapture: () => void;
  edit: (words: string, field: string, change: (graph: Graph) => Graph) => void;
};

export function useFieldEdits(): FieldEdits {
  const editor = useEditor();
  const visit = useRef(0);
  return useMemo(
    () => ({
      onFocusCapture: () => {
        visits += 1;
        visit.current = visits;
      },
      edit: (words, field, change) =>
        editor.edit(words, change, { group: `${field} ${visit.current}` }),
    }),
    [editor],
  );
}
