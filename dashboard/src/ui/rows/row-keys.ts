/**
 * Keyboard and mouse control of a list: one tab stop, arrows move between rows, Space selects,
 * Enter opens; further keys are those of the actions. Shift with an arrow, Space or a click selects
 * a range.
 */

import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { type Actions, actionOfKey, type OnAction } from './actions.ts';
import type { Selection } from './selection.ts';

export type Keyed<Row, Kind extends string> = {
  rows: readonly Row[];
  selection: Selection<Row>;
  actions: Actions<Row, Kind>;
  onAction: OnAction<Row, Kind>;
  onOpen: (row: Row) => void;
  opensByDoubleClick?: boolean;
};

/** The index of the row that an event is in, or -1. */
export const indexOf = (target: EventTarget | null): number =>
  Number((target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index ?? -1);

/** A link, a button or a checkbox in the row. */
const hasOwnEffect = (target: EventTarget): boolean =>
  (target as HTMLElement).closest('a, button, input, label, [role="menu"]') !== null;

/**
 * @param place the element that holds the rows.
 * @param columns how many are beside each other: one in a table, several in a grid.
 */
export function useRowKeys<Row extends { id: number }, Kind extends string>(
  { rows, selection, actions, onAction, onOpen, opensByDoubleClick }: Keyed<Row, Kind>,
  place: RefObject<HTMLElement | null>,
  columns = 1,
) {
  const { selected, onSelect } = selection;
  const [current, setCurrent] = useState(0);
  const anchor = useRef(0);
  const elementOf = (index: number) =>
    place.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);

  const toggle = (index: number, isRange: boolean) => {
    const next = new Set(selected);
    const [from, to] = isRange
      ? [Math.min(anchor.current, index), Math.max(anchor.current, index)]
      : [index, index];
    const isAdded = !selected.has(rows[index]?.id ?? 0);
    for (const { id } of rows.slice(from, to + 1)) isAdded ? next.add(id) : next.delete(id);
    anchor.current = index;
    setCurrent(index);
    onSelect(next);
  };

  /** All that is selected if the row is among it, otherwise that row alone. */
  const chosenWith = (row: Row): readonly Row[] =>
    selected.has(row.id) ? selection.chosen : [row];

  const selectOnly = (from: number, to: number) => {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    onSelect(new Set(rows.slice(first, last + 1).map(({ id }) => id)));
  };

  const goTo = (wanted: number, isRange: boolean) => {
    const to = Math.max(0, Math.min(rows.length - 1, wanted));
    if (isRange) selectOnly(anchor.current, to);
    else anchor.current = to;
    // The current row is rendered even if it is out of sight; the focus brings it into view.
    flushSync(() => setCurrent(to));
    elementOf(to)?.focus();
  };

  const onEndKey = useMovingEnd(rows.length - 1, elementOf, goTo);

  const onClick = (event: MouseEvent<HTMLElement>) => {
    const index = indexOf(event.target);
    if (index < 0 || hasOwnEffect(event.target)) return;
    if (event.ctrlKey || event.metaKey) return toggle(index, false);
    if (event.shiftKey) return selectOnly(anchor.current, index);
    anchor.current = index;
    selectOnly(index, index);
  };

  const onDoubleClick = ({ target }: MouseEvent<HTMLElement>) => {
    const row = rows[indexOf(target)];
    if (row && opensByDoubleClick && !hasOwnEffect(target)) onOpen(row);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const index = indexOf(target);
    const row = rows[index];
    // Ignores keys pressed in a menu or in a field of the row.
    if (!row || target.dataset.index === undefined) return;
    const chosen = chosenWith(row);
    const page = Math.max(1, Math.floor(innerHeight / (target.offsetHeight || 1)) - 3) * columns;
    const ways: Record<string, number> = {
      ArrowDown: index + columns,
      ArrowUp: index - columns,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: rows.length - 1,
      ...(columns > 1 && { ArrowLeft: index - 1, ArrowRight: index + 1 }),
    };
    onEndKey(event.key === 'End' ? event : undefined);
    const isCommand = event.ctrlKey || event.metaKey || event.altKey;
    const to = ways[event.key];
    const own = actionOfKey(actions, event.key, chosen);
    if (to !== undefined && !event.altKey) goTo(to, event.shiftKey);
    else if (event.key === 'a' && isCommand) selection.onSelectAll();
    else if (event.key === ' ') toggle(index, event.shiftKey);
    else if (event.key === 'Enter' && !isCommand) onOpen(row);
    else if (event.key === 'Escape' && selected.size > 0) onSelect(new Set());
    else if (own && !isCommand) onAction(own.kind, chosen);
    else return;
    event.preventDefault();
  };

  const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
    const index = indexOf(target);
    if (index >= 0) setCurrent(index);
  };

  return { current, onKeyDown, onClick, onDoubleClick, onFocus, toggle, chosenWith };
}

/**
 * At its end a list loads more. Then the End key leads on to the new end, until another key is
 * pressed or something else gets the focus.
 */
function useMovingEnd(
  last: number,
  elementOf: (index: number) => HTMLElement | null | undefined,
  goTo: (index: number, isRange: boolean) => void,
) {
  const end = useRef<{ index: number; isRange: boolean }>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only more rows move the end
  useEffect(() => {
    const former = end.current;
    if (!former || former.index >= last) return;
    const isThere = elementOf(former.index) === document.activeElement;
    end.current = isThere ? { ...former, index: last } : undefined;
    // An effect itself cannot render.
    if (isThere) queueMicrotask(() => goTo(last, former.isRange));
  }, [last]);
  return (key: KeyboardEvent | undefined) => {
    end.current = key && { index: last, isRange: key.shiftKey };
  };
}
