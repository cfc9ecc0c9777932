/** The audit log as it is read: each reading is an event of its own, so only on request. */

import { queryString } from '@cogworks/sdk/client';
import type { Operations } from '@cogworks/sdk/contract.gen';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { api, apiPage } from '../../api.ts';

export type Filters = {
  user?: number | undefined;
  action?: string | undefined;
  outcome?: 'done' | 'failed' | undefined;
  /** The first and the last day, in the time zone of this browser. */
  from?: string | undefined;
  to?: string | undefined;
};

type Query = NonNullable<Operations['listAuditEvents']['args']['query']>;

export const useEvents = (filters: Filters) =>
  useInfiniteQuery({
    queryKey: ['audit-events', filters],
    queryFn: ({ pageParam }) =>
      apiPage('listAuditEvents', { query: { ...queryOf(filters), limit: 100 } }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

/** All events that match, saved as a file by the browser. */
export const useCsv = (filters: Filters) =>
  useMutation({
    mutationFn: async () => {
      const path = `/audit-events/${queryString({ ...queryOf(filters), format: 'csv' })}`;
      const answer = await api.send({ method: 'GET', path });
      save(await answer.blob(), 'audit-log.csv');
    },
  });

/** The comparison, and the newest seal. Both are read when somebody asks: the first is an event. */
export const useVerification = () =>
  useMutation({
    mutationFn: async (kept: string) => {
      const found = await api.verifyAuditEvents({ query: kept === '' ? {} : { head: kept } });
      return { found, head: (await api.getAuditHead()).head };
    },
  });

function queryOf({ user, action, outcome, from, to }: Filters): Query {
  return {
    ...(user !== undefined && { user_id: user }),
    ...(action !== undefined && { action }),
    ...(outcome !== undefined && { outcome }),
    ...(from !== undefined && { from: midnight(from, 0) }),
    // The last day is included.
    ...(to !== undefined && { to: midnight(to, 1) }),
  };
}

/** When a day begins here, some days later. */
function midnight(day: string, later: number): string {
  const time = new Date(`${day}T00:00:00`);
  time.setDate(time.getDate() + later);
  return time.toISOString();
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it some time after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
