/** Reads again what a screen shows when the service tells of a change. */
import { followRuns } from '@cogworks/sdk/events';
import type { RunsEvent } from '@cogworks/sdk/run-events';
import { useCallback } from 'react';
import { api } from './api.ts';
import { useWatching } from './watching.ts';

/** Of many changes in a row, some are read together. */
const betweenReads_ms = 1000;

/**
 * Calls `readAgain` after what `isAbout` picks of the events of the tenant, once a second at most,
 * and whenever some may have been missed. Both functions must stay the same.
 */
export function useTenantNews(
  isAbout: (told: RunsEvent) => boolean,
  readAgain: () => unknown,
): void {
  const watch = useCallback(
    async (signal: AbortSignal, onNews: () => void) => {
      let next_ms = 0;
      let isDue = false;
      for await (const told of followRuns(api, { signal })) {
        onNews();
        if (isDue || !(told.event === 'reset' || isAbout(told))) continue;
        isDue = true;
        setTimeout(() => {
          isDue = false;
          next_ms = performance.now() + betweenReads_ms;
          if (!signal.aborted) readAgain();
        }, next_ms - performance.now());
      }
    },
    [isAbout, readAgain],
  );
  useWatching(watch);
}
