/**
 * The whole height of a grid in one strip: each pixel has the worst state of its rows. A click leads
 * there. For the mouse alone: keys have `n`, `p` and the filters.
 */
import { useComputedColorScheme } from '@mantine/core';
import { useThrottledValue } from '@mantine/hooks';
import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { urgencyOf, worstOf } from './cells.ts';
import classes from './grid.module.css';
import type { GridRows } from './grid-rows.ts';

type Props = {
  rows: GridRows;
  order: readonly number[];
  scroller: RefObject<HTMLDivElement | null>;
  rowHeight: number;
};

const width = 14;
/** The strip looks at all rows, so it does not follow each event of a busy run. */
const pause_ms = 400;

/** Failures stand out, what is done is quiet. */
const colours: Record<string, { light: string; dark: string }> = {
  f: { light: '#dc4446', dark: '#e8595b' },
  r: { light: '#2f83dd', dark: '#4b9bef' },
  c: { light: '#868f95', dark: '#8b939a' },
  b: { light: '#c98a1f', dark: '#d9952a' },
  q: { light: '#c9d0d4', dark: '#444b52' },
  p: { light: '#e0e4e6', dark: '#343a40' },
  s: { light: '#a5dcc3', dark: '#24583f' },
  u: { light: '#a5dcc3', dark: '#24583f' },
  n: { light: '#e0e4e6', dark: '#343a40' },
};

export function Strip({ rows, order, scroller, rowHeight }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  const version = useThrottledValue(rows.version, pause_ms);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the rows
  useEffect(() => {
    const place = canvas.current;
    const pen = place?.getContext('2d');
    if (!place || !pen) return;
    const height = Math.max(1, place.clientHeight);
    place.height = height;
    for (let y = 0; y < height; y++) {
      const colour = colours[worstAt(rows, order, y / height, (y + 1) / height)];
      if (!colour) continue;
      pen.fillStyle = colour[scheme];
      pen.fillRect(0, y, width, 1);
    }
  }, [rows, order, version, scheme]);
  const go = (event: PointerEvent<HTMLCanvasElement>) => {
    const { current } = scroller;
    if (!current || (event.type === 'pointermove' && event.buttons === 0)) return;
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const share = (event.clientY - top) / height;
    current.scrollTop = share * order.length * rowHeight - current.clientHeight / 2;
  };
  return (
    <canvas
      ref={canvas}
      width={width}
      className={classes.strip}
      aria-hidden
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={go}
    />
  );
}

/** Of the rows of a pixel; of fewer rows than pixels, of the row it is in. */
function worstAt(rows: GridRows, order: readonly number[], from: number, to: number): string {
  const first = Math.floor(from * order.length);
  const last = Math.max(first + 1, Math.floor(to * order.length));
  let worst = '-';
  for (let row = first; row < last && row < order.length; row++) {
    const letter = worstOf(rows.row(order[row] ?? -1)?.cells ?? '');
    if (urgencyOf(letter) < urgencyOf(worst)) worst = letter;
  }
  return worst;
}
