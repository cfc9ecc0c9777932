/** The grid of a run, kept up to date by its events. */
import type { Moment } from '@cogworks/sdk/runs';
import { isTerminal } from '@cogworks/sdk/runs';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api } from '../../../api.ts';
import type { RunNews } from '../../../run-news.ts';
import { GridReader } from './grid-reader.ts';

export function useRunGrid({ run, nodes }: Moment, news: RunNews): GridReader {
  const [reader] = useState(() => new GridReader(api, run.id));
  useEffect(() => reader.open(), [reader]);
  useEffect(
    () =>
      news.subscribe((event) => {
        if (reader.rows.takeEvent(event)) reader.tell();
        if (event.event === 'reset') reader.readAgain();
      }),
    [reader, news],
  );
  const isEnded = isTerminal(run.status);
  useEffect(() => {
    if (!isEnded) return;
    reader.rows.takeEnd();
    reader.readAgain();
  }, [reader, isEnded]);
  // Files of an output are known once its node has ended; no event tells their names.
  const known = nodes.filter(({ expected }) => expected !== null).length;
  useEffect(() => {
    if (known === 0 || !reader.rows.hasHead) return;
    if (reader.rows.groups.every(({ count }) => count !== undefined)) return;
    reader.rows.makeStale(() => true);
    reader.readAgain();
  }, [reader, known]);
  useSyncExternalStore(reader.subscribe, () => `${reader.rows.version} ${reader.isReading}`);
  return reader;
}
