/** The trash: what is in it, and restoring and removing that. */

import { purgeMany, restoreMany } from '@cogworks/sdk/change-many';
import type { TrashedCog } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { plural } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiPage } from '../../api.ts';
import { wordsOf } from '../../ui/await.tsx';
import { notRestoredWords, undone } from './change-words.ts';
import { gathered, type Outcome, requireAll } from './changes.ts';
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

/** Those whose names are taken, about which the user is asked; `error` is that of another name. */
type Taken = { cogs: readonly TrashedCog[]; done: number; error: unknown; isBusy: boolean };

/** Restores many at once. Asks for another name for one whose name is taken, once for several. */
export function useRestore() {
  const listings = useListings();
  const [taken, setTaken] = useState<Taken>();

  const end = async (done: number) => {
    setTaken(undefined);
    if (done > 0) {
      const message = plural(done, { one: '# item restored.', other: '# items restored.' });
      notifications.show({ message });
    }
    await listings.reload();
  };
  const all = async (cogs: readonly TrashedCog[]) => {
    const { done, failed } = gathered(await restoreMany(api, cogs));
    tellFailures(failed.filter(({ error }) => !isTaken(error)));
    const left = failed.filter(({ error }) => isTaken(error)).map(({ cog }) => cog);
    if (left.length === 0) return end(done.length);
    setTaken({ cogs: left, done: done.length, error: null, isBusy: false });
  };
  const keepBoth = async ({ cogs, done: before }: Taken) => {
    setTaken({ cogs, done: before, error: null, isBusy: true });
    const { done, failed } = gathered(await restoreMany(api, cogs, { existing: 'number' }));
    tellFailures(failed);
    return end(before + done.length);
  };
  const retry = async ({ cogs, done }: Taken, cog: TrashedCog, name: string) => {
    setTaken({ cogs, done, error: null, isBusy: true });
    try {
      await api.restoreCog({ path: { id: cog.id }, body: { name } });
    } catch (error) {
      if (isTaken(error)) return setTaken({ cogs, done, error, isBusy: false });
      tellFailures([{ cog, error }]);
      return end(done);
    }
    return end(done + 1);
  };
  const [cog, ...others] = taken?.cogs ?? [];
  return {
    all: (cogs: readonly TrashedCog[]) => void all(cogs),
    asked: taken &&
      cog && {
        ...taken,
        cog,
        isOne: others.length === 0,
        retry: (name: string) => void retry(taken, cog, name),
        keepBoth: () => void keepBoth(taken),
        leave: () => void end(taken.done),
      },
  };
}

const isTaken = (error: unknown) => error instanceof ApiError && error.code === 'name_collision';

function tellFailures(failed: Outcome<TrashedCog>['failed']) {
  const [first] = failed;
  if (!first) return;
  const { message } = wordsOf(first.error);
  notifications.show({
    color: 'red',
    title: notRestoredWords(failed.map((one) => one.cog)),
    message: failed.length === 1 ? message : `“${first.cog.name}”: ${message}`,
  });
}

export function usePurge() {
  const listings = useListings();
  return useMutation({
    mutationFn: async (cogs: readonly TrashedCog[]) =>
      requireAll(gathered(await purgeMany(api, cogs)), undone.deletedForEver),
    onSettled: listings.reload,
  });
}

export function useEmptyTrash() {
  const listings = useListings();
  return useMutation({ mutationFn: () => api.emptyTrash({}), onSettled: listings.reload });
}
