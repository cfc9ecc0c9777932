/**
 * Which of several open dialogs and drawers is on top: Escape closes that one only. The library's
 * all listen to the key.
 */
import { useEffect, useState, useSyncExternalStore } from 'react';

type Opened = { kind: 'dialog' | 'drawer' };

let open: readonly Opened[] = [];
const watchers = new Set<() => void>();

export function useIsTopmost(opened: boolean, kind: Opened['kind'] = 'drawer'): boolean {
  const [own] = useState<Opened>(() => ({ kind }));
  useEffect(() => {
    if (!opened) return;
    set([...open, own]);
    return () => {
      // After the key that closed it, which the dialogs below get too.
      // Only one: it may be open again by then.
      setTimeout(() => set(open.toSpliced(open.indexOf(own), 1)));
    };
  }, [opened, own]);
  return useSyncExternalStore(watch, () => open.at(-1) === own);
}

/** Whether a dialog asks for something; drawers only show. */
export const useIsDialogOpen = (): boolean =>
  useSyncExternalStore(watch, () => open.some(({ kind }) => kind === 'dialog'));

function set(next: readonly Opened[]) {
  open = next;
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
