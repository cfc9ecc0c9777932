/**
 * Renders only the rows near what is in view, of a list that may have a hundred thousand; the page
 * itself scrolls. The current row is always rendered, so that it can keep the focus.
 */
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

type Wanted = {
  /** The element that holds the rows. */
  place: RefObject<HTMLElement | null>;
  count: number;
  current: number;
  height: number;
};

export type More = {
  hasMore: boolean;
  isLoadingMore: boolean;
  /** Why the next page could not be loaded. */
  moreError?: unknown;
  onMore: () => void;
};

export function useVirtualRows({ place, count, current, height }: Wanted, more: More) {
  const [top, setTop] = useState(0);
  // What is above the rows may change its height at any time.
  useLayoutEffect(() => {
    const box = place.current?.getBoundingClientRect();
    if (box) setTop(Math.round(box.top + window.scrollY));
  });
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: 10,
    scrollMargin: top,
    rangeExtractor: (range) => {
      const near = defaultRangeExtractor(range);
      return current >= count || near.includes(current)
        ? near
        : [...near, current].sort((a, b) => a - b);
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: sizes are those of the former height
  useLayoutEffect(() => virtual.measure(), [height]);

  const items = virtual.getVirtualItems();
  const last = virtual.range?.endIndex ?? 0;
  const isNearEnd = last >= count - 30;
  const { hasMore, isLoadingMore, moreError, onMore } = more;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with more rows the end may still be near
  useEffect(() => {
    if (isNearEnd && hasMore && !isLoadingMore && moreError == null) onMore();
  }, [isNearEnd, hasMore, isLoadingMore, moreError, count]);

  const ends = items.map(({ end }) => end - top);
  return {
    /** Each rendered row with the empty height before it. */
    items: items.map(({ index, start }, nth) => ({
      index,
      gap: start - top - (nth === 0 ? 0 : (ends[nth - 1] ?? 0)),
    })),
    /** The empty height after the last one. */
    rest: virtual.getTotalSize() - (ends.at(-1) ?? 0),
  };
}
