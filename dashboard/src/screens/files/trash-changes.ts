/** The trash: what is in it, and restoring and removing that. */

import type { TrashedCog } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiPage } from '../../api.ts';
import { wordsOf } from '../../ui/await.tsx';
import { plural } from '../../ui/format.ts';
import { useListings } from './listings.ts';

export function useTrash() {
  return useInfiniteQuery({
    queryKey: ['trash'],
    queryFn: ({ pageParam }) =>
      apiPage('listTrash', { query: { limit: 500, with_above: true } }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });
}

type Taken = { cog: TrashedCog; rest: readonly TrashedCog[]; error: unknown; isBusy: boolean };

/** Restores one after another; `asked` is the one whose name is taken, until it gets another. */
export function useRestore() {
  const listings = useListings();
  const [taken, setTaken] = useState<Taken>();

  const run = async (cogs: readonly TrashedCog[], name?: string, done = 0): Promise<void> => {
    const [cog, ...rest] = cogs;
    if (!cog) {
      setTaken(undefined);
      if (done > 0) notifications.show({ message: `${plural(done, 'item')} restored.` });
      await listings.reload();
      return;
    }
    try {
      await api.restoreCog({
        path: { id: cog.id },
        body: name === undefined ? {} : { name },
      });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'name_collision') {
        return setTaken({ cog, rest, error: name === undefined ? null : error, isBusy: false });
      }
      const title = `“${cog.name}” could not be restored`;
      notifications.show({ color: 'red', title, message: wordsOf(error).message });
      return run(rest, undefined, done);
    }
    return run(rest, undefined, done + 1);
  };
  return {
    all: (cogs: readonly TrashedCog[]) => void run(cogs),
    asked: taken && {
      ...taken,
      retry: (name: string) => {
        setTaken({ ...taken, isBusy: true });
        void run([taken.cog, ...taken.rest], name);
      },
      skip: () => void run(taken.rest),
    },
  };
}

export function usePurge() {
  const listings = useListings();
  return useMutation({
    mutationFn: async (cogs: readonly TrashedCog[]) => {
      for (const { id } of cogs) await api.deleteCog({ path: { id }, query: { permanent: true } });
    },
    onSettled: listings.reload,
  });
}

export function useEmptyTrash() {
  const listings = useListings();
  return useMutation({ mutationFn: () => api.emptyTrash({}), onSettled: listings.reload });
}
