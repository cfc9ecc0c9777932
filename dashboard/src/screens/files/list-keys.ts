/**
 * Keyboard control of a list: one tab stop, arrows move between rows, Space selects, Enter opens,
 * F2 renames, Delete deletes. Shift with Space or a click selects a range.
 */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { type KeyboardEvent, useRef, useState } from 'react';

type Keys = {
  rows: readonly Cog[];
  selected: ReadonlySet<number>;
  onSelect: (selected: ReadonlySet<number>) => void;
  onOpen: (cog: Cog) => void;
  onAction: (kind: 'rename' | 'delete', cogs: Cog[]) => void;
};

export function useListKeys({ rows, selected, onSelect, onOpen, onAction }: Keys) {
  const [current, setCurrent] = useState(0);
  const anchor = useRef(0);

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

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const row = (event.target as HTMLElement).closest('tr');
    const index = Number(row?.dataset.index ?? -1);
    const cog = rows[index];
    // Ignores keys pressed in a menu or column header.
    if (!cog || event.target !== row) return;
    const chosen = selected.size > 0 ? rows.filter(({ id }) => selected.has(id)) : [cog];
    const move = (to: number) => {
      const wanted = Math.max(0, Math.min(rows.length - 1, to));
      setCurrent(wanted);
      row?.parentElement?.querySelector<HTMLElement>(`[data-index="${wanted}"]`)?.focus();
    };
    const actions: Record<string, () => void> = {
      ArrowDown: () => move(index + 1),
      ArrowUp: () => move(index - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ' ': () => toggle(index, event.shiftKey),
      Enter: () => onOpen(cog),
      F2: () => onAction('rename', [cog]),
      Delete: () => onAction('delete', chosen),
      Escape: () => onSelect(new Set()),
    };
    if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      actions.a = () => onSelect(new Set(rows.map(({ id }) => id)));
    }
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };

  const rowProps = (index: number) => ({
    tabIndex: index === Math.min(current, rows.length - 1) ? 0 : -1,
    'data-index': index,
    onFocus: () => setCurrent(index),
  });

  return { onKeyDown, rowProps, toggle };
}
