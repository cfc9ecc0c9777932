/** Notices, as their screens read and change them. */
import type {
  Me,
  NewNotice,
  Notice,
  NoticeChanges,
  NoticeDelivery,
} from '@cogworks/sdk/contract.gen';
import type { RunsEvent } from '@cogworks/sdk/run-events';
import { t } from '@lingui/core/macro';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { api } from '../../api.ts';
import { useApiPages } from '../../api-pages.ts';
import { useUsers } from '../../people.ts';
import { randomKey, useRequestKey } from '../../request-key.ts';
import { useTenantNews } from '../../tenant-news.ts';

/** Who made it, and admins; others see it, with the origin of its URL. */
export const mayChange = ({ created_by }: Notice, me: Me | undefined): boolean =>
  me !== undefined && (me.role === 'admin' || created_by === me.id);

/** Where its messages go, in words. */
export function useReceiver(): (notice: Notice) => string {
  const user = useUsers();
  return ({ url, created_by }) => {
    const email = user(created_by)?.email;
    return url ?? (email === undefined ? t`mail to its maker` : t`mail to ${email}`);
  };
}

export const useNotices = () =>
  useQuery({
    queryKey: ['notices'],
    queryFn: () => api.listNotices({ query: { limit: 1000 } }),
  });

export const useNotice = (id: number) =>
  useQuery({ queryKey: ['notice', id], queryFn: () => api.getNotice({ path: { id } }) });

/** What is due is sent at once, and answered in seconds. */
const least_ms = 2000;
const most_ms = 60_000;

/**
 * What was sent. Of new messages the ends of runs tell; how those that wait go on no event tells,
 * so they are read again until none waits.
 */
export function useNoticeDeliveries(id: number) {
  const client = useQueryClient();
  useTenantNews(
    isEndOfRun,
    useCallback(() => readAgain(client), [client]),
  );
  const list = useApiPages(
    ['notice-deliveries', id],
    'listNoticeDeliveries',
    { path: { id }, query: { limit: 50 } },
    againAfter_ms,
  );
  // What came of an attempt changes the notice, which may then be failing, paused or off.
  const newest = list.data?.pages[0]?.rows.map((row) => `${row.state} ${row.attempts.length}`);
  const outcomes = newest?.join();
  useEffect(() => {
    if (outcomes !== undefined) void client.invalidateQueries({ queryKey: ['notice', id] });
  }, [client, id, outcomes]);
  return list;
}

const isEndOfRun = ({ event, data }: RunsEvent) => event === 'run' && 'finished_at' in data;

function againAfter_ms(rows: readonly NoticeDelivery[]): number | false {
  const due = rows
    .filter(({ state }) => state === 'waiting')
    .map(({ next_attempt_at = '' }) => Date.parse(next_attempt_at) || 0);
  if (due.length === 0) return false;
  return Math.min(most_ms, Math.max(least_ms, Math.min(...due) - Date.now()));
}

/** Reads all that is shown of notices again. */
const readAgain = (client: QueryClient) =>
  Promise.all(
    ['notices', 'notice', 'notice-deliveries'].map((key) =>
      client.invalidateQueries({ queryKey: [key] }),
    ),
  );

/** A new one, once: also when the button is pressed twice or an answer is lost. */
export function useCreation() {
  const client = useQueryClient();
  const keyOf = useRequestKey();
  return useMutation({
    mutationFn: (body: NewNotice) => api.createNotice({ body, idempotencyKey: keyOf(body) }),
    onSuccess: () => readAgain(client),
    // The secret must not outlive the dialog that shows it.
    gcTime: 0,
  });
}

export function useChange(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NoticeChanges) => api.changeNotice({ path: { id }, body }),
    onSuccess: () => readAgain(client),
  });
}

export function useDeletion(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.deleteNotice({ path: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['notices'] }),
  });
}

export function useTest(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.testNotice({ path: { id }, idempotencyKey: randomKey() }),
    onSettled: () => readAgain(client),
  });
}

export function useRedelivery(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (delivery_id: number) =>
      api.redeliverNotice({ path: { id, delivery_id }, idempotencyKey: randomKey() }),
    onSettled: () => readAgain(client),
  });
}
