/**
 * Which of several open dialogs is on top: Escape closes that one only. The library's dialogs all
 * listen to the key.
 */
import { useEffect, useState, useSyncExternalStore } from 'react';

let open: readonly symbol[] = [];
const watchers = new Set<() => void>();

export function useIsTopmost(opened: boolean): boolean {
  const [own] = useState(() => Symbol('dialog'));
  useEffect(() => {
    if (!opened) return;
    set([...open, own]);
    return () => {
      // After the key that closed it, which the dialogs below get too.
      setTimeout(() => set(open.filter((one) => one !== own)));
    };
  }, [opened, own]);
  return useSyncExternalStore(watch, () => open.at(-1) === own);
}

function set(next: readonly symbol[]) {
  open = next;
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
