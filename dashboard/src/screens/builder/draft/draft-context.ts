/** The saving of the draft that is edited, for the parts of the builder that tell of it. */
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { DraftSaver, SaverState } from './saver.ts';

/** Null while nothing may be changed. */
export const DraftContext = createContext<DraftSaver | null>(null);

export const useSaver = (): DraftSaver | null => useContext(DraftContext);

const nothing = () => () => {};

export function useSaverState(): SaverState | null {
  const saver = useSaver();
  return useSyncExternalStore(saver?.subscribe ?? nothing, () => saver?.getState() ?? null);
}
