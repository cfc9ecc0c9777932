/** Follows the ends of the user's runs: by events, and by one read when the events begin. */
import { followRuns } from '@cogworks/sdk/events';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { api } from '../../api.ts';
import { useWatching } from '../../watching.ts';
import {
  type EndedRun,
  endedIn,
  endedOf,
  mostKept,
  seenUntil,
  unreadOf,
  withEnded,
} from './ended-runs.ts';

const seenKey = (userId: number) => `cogworks.runs-seen.${userId}`;

/** @param onEnded is called once for each run that ends; it must stay the same function. */
export function useEndedRuns(userId: number, onEnded: (run: EndedRun) => void, isAlways: boolean) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['ended-runs', userId],
    queryFn: async () =>
      endedOf(await api.listRuns({ query: { started_by: userId, limit: mostKept } })),
  });
  const watch = useCallback(
    async (signal: AbortSignal, onNews: () => void) => {
      const queryKey = ['ended-runs', userId];
      for await (const told of followRuns(api, { signal })) {
        onNews();
        if (told.event === 'reset') void client.invalidateQueries({ queryKey });
        const run = endedIn(told, userId);
        if (!run) continue;
        const known = client.getQueryData<EndedRun[]>(queryKey) ?? [];
        if (known.some(({ id }) => id === run.id)) continue;
        client.setQueryData<EndedRun[]>(queryKey, withEnded(known, run));
        // An answer on its way may be older, and would take it out again.
        if (client.isFetching({ queryKey }) > 0) void client.invalidateQueries({ queryKey });
        void client.invalidateQueries({ queryKey: ['first-steps'] });
        onEnded(run);
      }
    },
    [client, userId, onEnded],
  );
  useWatching(watch, isAlways);
  const [seen_ms, setSeen] = useSeen(userId);
  const runs = query.data ?? [];
  const see = () => setSeen(seenUntil(runs, seen_ms));
  return { runs, unread: unreadOf(runs, seen_ms), seen_ms, see, query };
}

/** When the list was last seen in this browser; at first, now. */
function useSeen(userId: number) {
  const [seen_ms, setSeen] = useState(() => {
    const kept = Number(localStorage.getItem(seenKey(userId)));
    return kept > 0 ? kept : Date.now();
  });
  useEffect(() => {
    localStorage.setItem(seenKey(userId), String(seen_ms));
  }, [userId, seen_ms]);
  return [seen_ms, setSeen] as const;
}
