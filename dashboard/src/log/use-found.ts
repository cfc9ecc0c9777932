/** The lines with a text: found again as the log grows. */
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { LogClient } from './log-client.ts';

export type Found = {
  query: string;
  numbers: Uint32Array;
  /** Which of them is the current one. */
  at: number;
  onMove: (step: 1 | -1) => number | undefined;
};

const pause_ms = 150;

export function useFound(log: LogClient, query: string): Found | undefined {
  const [wanted] = useDebouncedValue(query, pause_ms);
  const [found, setFound] = useState<{ query: string; numbers: Uint32Array }>();
  const [at, setAt] = useState(0);
  const { bytes } = log.state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was added may have more
  useEffect(() => {
    let isOld = false;
    if (wanted === '') setFound(undefined);
    else
      void log.find(wanted).then((numbers) => {
        if (!isOld) setFound({ query: wanted, numbers });
      });
    return () => {
      isOld = true;
    };
  }, [log, wanted, bytes]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of another text the first is current
  useEffect(() => setAt(0), [wanted]);
  if (!found || query === '') return undefined;
  const { numbers } = found;
  return {
    ...found,
    at: Math.min(at, Math.max(0, numbers.length - 1)),
    onMove: (step) => {
      if (numbers.length === 0) return undefined;
      const next = (at + step + numbers.length) % numbers.length;
      setAt(next);
      return numbers[next];
    },
  };
}
