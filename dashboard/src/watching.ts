/** Follows events while the page is visible. */
import { ApiError } from '@cogworks/sdk/errors';
import { wait } from '@cogworks/sdk/wait';
import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useState } from 'react';

/** Pause before reconnecting to an unreachable service. */
const pause_ms = 5000;

type Watch = (signal: AbortSignal, onNews: () => void) => Promise<void>;

/**
 * Runs `watch` until it resolves, and again after temporary failures. A hidden page does not watch:
 * a browser has six connections per service, and each stream uses one.
 *
 * @param watch must be the same function as long as it watches the same thing.
 * @param isAlways also while the page is hidden.
 */
export function useWatching(watch: Watch, isAlways = false) {
  const isSeen = useDocumentVisibility() === 'visible' || isAlways;
  const [tries, setTries] = useState(0);
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is the same once more
  useEffect(() => {
    if (!isSeen) return;
    const gone = new AbortController();
    const { signal } = gone;
    const untilItEnds = async () => {
      for (;;) {
        try {
          return await watch(signal, () => setError(null));
        } catch (problem) {
          if (signal.aborted) return;
          setError(problem);
          if (isRefusal(problem)) return;
        }
        await wait(pause_ms, signal);
      }
    };
    untilItEnds().catch(() => {});
    return () => gone.abort();
  }, [watch, isSeen, tries]);
  return { error, retry: () => setTries(tries + 1) };
}

/** A refusal is final, so it is not retried. */
const isRefusal = (error: unknown) => error instanceof ApiError && error.status < 500;
