/** Which rows of a list are chosen. All of a long list are chosen while the rest is loaded. */
import { useEffect, useMemo, useState } from 'react';
import type { More } from './virtual-rows.ts';

const none: ReadonlySet<number> = new Set();

export type Selection<Row> = {
  selected: ReadonlySet<number>;
  /** Those of `selected` that are in the list, in its order. */
  chosen: readonly Row[];
  /** All are wanted: the rest is on its way, or could not be loaded. */
  rest: 'loading' | 'failed' | undefined;
  onSelect: (selected: ReadonlySet<number>) => void;
  onSelectAll: () => void;
};

export function useSelection<Row extends { id: number }>(
  rows: readonly Row[],
  { hasMore, isLoadingMore, moreError, onMore }: More,
): Selection<Row> {
  const [selected, setSelected] = useState(none);
  const [isAll, setAll] = useState(false);
  const chosen = useMemo(
    () => (selected.size === 0 ? [] : rows.filter(({ id }) => selected.has(id))),
    [rows, selected],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function is no reason to load
  useEffect(() => {
    if (!isAll) return;
    setSelected(new Set(rows.map(({ id }) => id)));
    // What comes later, for example from somebody else, is not chosen.
    if (!hasMore) setAll(false);
    else if (!isLoadingMore && moreError == null) onMore();
  }, [isAll, rows, hasMore, isLoadingMore, moreError]);
  return {
    selected,
    chosen,
    rest: !isAll || !hasMore ? undefined : moreError == null ? 'loading' : 'failed',
    onSelect: (next) => {
      setAll(false);
      setSelected(next);
    },
    onSelectAll: () => {
      setAll(true);
      // At once, and not only by the effect: the next key may follow before that.
      setSelected(new Set(rows.map(({ id }) => id)));
    },
  };
}
