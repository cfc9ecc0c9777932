/**
 * Keyboard and mouse control of a list: one tab stop, arrows move between rows, Space selects,
 * Enter opens; further keys are those of the actions. Shift with an arrow, Space or a click selects
 * a range.
 */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';
import { actionOfKey, type OnAction } from './actions.ts';

type Keys = {
  rows: readonly Cog[];
  selected: ReadonlySet<number>;
  onSelect: (selected: ReadonlySet<number>) => void;
  onOpen: (cog: Cog) => void;
  onAction: OnAction;
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

  /** All that is selected if the row is among it, otherwise that row alone. */
  const chosenWith = (cog: Cog): Cog[] =>
    selected.has(cog.id) ? rows.filter(({ id }) => selected.has(id)) : [cog];

  const selectOnly = (from: number, to: number) => {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    onSelect(new Set(rows.slice(first, last + 1).map(({ id }) => id)));
  };

  const onClick = (event: MouseEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const index = Number(target.closest('tr')?.dataset.index ?? -1);
    // A link, a button or a checkbox in the row has an effect of its own.
    if (index < 0 || target.closest('a, button, input, label, [role="menu"]')) return;
    if (event.ctrlKey || event.metaKey) return toggle(index, false);
    if (event.shiftKey) return selectOnly(anchor.current, index);
    anchor.current = index;
    selectOnly(index, index);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const row = (event.target as HTMLElement).closest('tr');
    const index = Number(row?.dataset.index ?? -1);
    const cog = rows[index];
    // Ignores keys pressed in a menu or column header.
    if (!cog || event.target !== row) return;
    const chosen = chosenWith(cog);
    const move = (to: number) => {
      const wanted = Math.max(0, Math.min(rows.length - 1, to));
      setCurrent(wanted);
      row?.parentElement?.querySelector<HTMLElement>(`[data-index="${wanted}"]`)?.focus();
    };
    const step = (to: number) => {
      if (!event.shiftKey) anchor.current = Math.max(0, Math.min(rows.length - 1, to));
      else selectOnly(anchor.current, Math.max(0, Math.min(rows.length - 1, to)));
      move(to);
    };
    const actions: Record<string, () => void> = {
      ArrowDown: () => step(index + 1),
      ArrowUp: () => step(index - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ' ': () => toggle(index, event.shiftKey),
      Enter: () => onOpen(cog),
      Escape: () => onSelect(new Set()),
    };
    const isCommand = event.ctrlKey || event.metaKey || event.altKey;
    const own = actionOfKey(event.key, chosen);
    const action =
      isCommand && event.key === 'a'
        ? () => selectOnly(0, rows.length - 1)
        : (actions[event.key] ?? (own && !isCommand && (() => onAction(own.kind, chosen))));
    if (!action) return;
    event.preventDefault();
    action();
  };

  const rowProps = (index: number) => ({
    tabIndex: index === Math.min(current, rows.length - 1) ? 0 : -1,
    'data-index': index,
    onFocus: () => setCurrent(index),
  });

  return { onKeyDown, onClick, rowProps, toggle, chosenWith };
}
