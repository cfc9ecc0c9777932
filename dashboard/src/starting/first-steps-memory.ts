/**
 * Whether this browser shows the list of first steps: from the moment that somebody tries samples
 * until they put it away. The service knows what has been done, but has no place for this.
 */
import { useSyncExternalStore } from 'react';

const key = 'cogworks.first-steps';
const watchers = new Set<() => void>();

function keep(value: 'shown' | 'hidden'): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A browser that keeps nothing shows it again, or not at all.
  }
  for (const watcher of watchers) watcher();
}

const kept = (): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

/** Shows the list, unless it was put away before. */
export const beginFirstSteps = (): void => {
  if (kept() === null) keep('shown');
};

export const hideFirstSteps = (): void => keep('hidden');

export const useIsShowingFirstSteps = (): boolean =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => kept() === 'shown',
  );
