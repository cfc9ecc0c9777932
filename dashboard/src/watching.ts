/** Follows what happens for as long as somebody looks at the page. */
import { ApiError } from '@cogworks/sdk/errors';
import { wait } from '@cogworks/sdk/wait';
import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useState } from 'react';

/** Until a service that stayed away is tried again. */
const pause_ms = 5000;

type Watch = (signal: AbortSignal, onNews: () => void) => Promise<void>;

/**
 * Runs `watch` until it resolves, and again when it fails for the moment. A page that nobody sees
 * watches nothing: a browser has six connections to a service, and each stream takes one.
 *
 * @param watch is the same function as long as it watches the same.
 */
export function useWatching(watch: Watch) {
  const isSeen = useDocumentVisibility() === 'visible';
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

/** It stays one however often it is asked. */
const isRefusal = (error: unknown) => error instanceof ApiError && error.status < 500;
