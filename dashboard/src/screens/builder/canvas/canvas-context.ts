/** What belongs to one look at the graph, and never to the graph or its history. */

import type { Verdict } from '@cogworks/graph/edit/ports';
import type { GraphEdge } from '@cogworks/graph/types';
import { createContext, useContext, useMemo } from 'react';
import type { Placed } from '../../../ui/graph-layout.ts';
import type { Telling } from '../copying/use-copying.ts';
import type { Store } from '../store.ts';
import type { CardPort } from './verdicts.ts';

/** A wire that is being drawn, and what every port says to it, by portKey. */
export type Drawing = { start: CardPort; verdicts: ReadonlyMap<string, Verdict> };

/** Something that is asked; with a place in the window, else in a dialog. */
export type Asked =
  | { kind: 'refused'; x: number; y: number; edge: GraphEdge; verdict: Verdict }
  | { kind: 'add'; x: number; y: number; at: Placed | undefined; start?: CardPort | undefined }
  | { kind: 'connect'; card: string }
  | { kind: 'title'; key: string }
  | { kind: 'note'; id: string }
  | { kind: 'paste' }
  | { kind: 'remarks'; title: string; remarks: readonly string[] }
  | { kind: 'keys' };

export type CanvasView = {
  /** The card that has the keyboard's focus, or had it last. */
  current: string | undefined;
  drawing: Drawing | undefined;
  asked: Asked | undefined;
  /** What was done or refused, for screen readers. */
  spoken: string;
};

export const CanvasContext = createContext<Store<CanvasView> | null>(null);

export function useCanvasView(): Store<CanvasView> {
  const view = useContext(CanvasContext);
  if (!view) throw new Error('There is no canvas around this component.');
  return view;
}

/** What is done is spoken on the canvas, and what it left out is asked for there. */
export function useTelling(): Telling {
  const view = useCanvasView();
  return useMemo(
    () => ({
      speak: (spoken) => view.set({ spoken }),
      showRemarks: (title, remarks) => view.set({ asked: { kind: 'remarks', title, remarks } }),
    }),
    [view],
  );
}
