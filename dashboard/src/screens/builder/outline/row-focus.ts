/** The focus of the keyboard among the rows of the list. */
import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react';
import { useEditorState } from '../editor.ts';
import { idIn, nodeId, noteId } from '../selection.ts';
import { nextRow, type Rows } from './next-row.ts';

/** Once the list has been drawn with it. Without it the first has the focus. */
export function focusStep(key: string) {
  setTimeout(() => {
    const step = document.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"]`);
    (step ?? document.querySelector<HTMLElement>('[data-step]'))?.focus();
  });
}

/**
 * Keeps the focus in the list when what has it goes: a step or note that is deleted, cut or undone,
 * here or by somebody else, or the buttons for what is selected. Without it, the keys of the list
 * would do nothing.
 *
 * @param stepRows changes with the graph.
 * @returns handlers for the element around the list.
 */
export function useKeepFocus(
  frame: RefObject<HTMLElement | null>,
  stepRows: readonly { key: string }[],
) {
  const notes = useEditorState(({ graph }) => graph.notes);
  const selection = useEditorState((state) => state.selection);
  const focus = useRef<{ isIn: boolean; row: string | undefined }>({ isIn: false, row: undefined });
  const before = useRef<{ rows: Rows; selection: ReadonlySet<string> }>(undefined);
  useLayoutEffect(() => {
    const rows = {
      steps: stepRows.map(({ key }) => nodeId(key)),
      notes: (notes ?? []).map(({ id }) => noteId(id)),
    };
    const last = before.current;
    before.current = { rows, selection };
    const isLost = focus.current.isIn && document.activeElement === document.body;
    if (!last || !isLost || !frame.current) return;
    const focused = { row: focus.current.row, selection: last.selection };
    const target =
      rowIn(frame.current, nextRow(last.rows, rows, focused)) ??
      frame.current.querySelector<HTMLElement>('[data-step], [data-note], [data-add-step]');
    target?.focus();
  }, [frame, stepRows, notes, selection]);
  return {
    onFocus: ({ target }: FocusEvent) => {
      // The menu of a row is a part of the row, wherever it is drawn; a dialog is not.
      const isInMenu = target.closest('[role="menu"]') !== null;
      focus.current.isIn = isInMenu || target.closest('[role="dialog"]') === null;
      if (!isInMenu) focus.current.row = rowAround(target);
    },
    // React tells nothing of elements that it removes.
    onBlur: () => {
      focus.current.isIn = false;
    },
  };
}

function rowIn(frame: Element, id = ''): HTMLElement | null {
  const [step, note] = [idIn('node', id), idIn('note', id)];
  if (step !== undefined) return frame.querySelector(`[data-step="${CSS.escape(step)}"]`);
  return note === undefined ? null : frame.querySelector(`[data-note="${CSS.escape(note)}"]`);
}

/** Of the step or note, also of its buttons. */
function rowAround(target: Element): string | undefined {
  const row = target.closest('li')?.querySelector<HTMLElement>('[data-step], [data-note]');
  const { step, note } = row?.dataset ?? {};
  if (step !== undefined) return nodeId(step);
  return note === undefined ? undefined : noteId(note);
}
