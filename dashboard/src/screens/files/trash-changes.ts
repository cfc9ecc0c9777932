/** The trash: what is in it, and restoring and removing that. */

import { purgeMany, restoreMany } from '@cogworks/sdk/change-many';
import type { TrashedCog } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiPage } from '../../api.ts';
import { wordsOf } from '../../ui/await.tsx';
import { plural } from '../../ui/format.ts';
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

/** Those whose names are taken: the first is asked about, and gets another or is left out. */
type Taken = { cogs: readonly TrashedCog[]; done: number; error: unknown; isBusy: boolean };

/** Restores many at once, then those whose names are taken one after another. */
export function useRestore() {
  const listings = useListings();
  const [taken, setTaken] = useState<Taken>();

  const goOn = async (cogs: readonly TrashedCog[], done: number) => {
    setTaken(cogs.length > 0 ? { cogs, done, error: null, isBusy: false } : undefined);
    if (cogs.length > 0) return;
    if (done > 0) notifications.show({ message: `${plural(done, 'item')} restored.` });
    await listings.reload();
  };
  const all = async (cogs: readonly TrashedCog[]) => {
    const { done, failed } = gathered(await restoreMany(api, cogs));
    tellFailures(failed.filter(({ error }) => !isTaken(error)));
    await goOn(
      failed.filter(({ error }) => isTaken(error)).map(({ cog }) => cog),
      done.length,
    );
  };
  const retry = async ({ cogs, done }: Taken, cog: TrashedCog, name: string) => {
    setTaken({ cogs, done, error: null, isBusy: true });
    try {
      await api.restoreCog({ path: { id: cog.id }, body: { name } });
    } catch (error) {
      if (isTaken(error)) return setTaken({ cogs, done, error, isBusy: false });
      tellFailures([{ cog, error }]);
      return goOn(cogs.slice(1), done);
    }
    return goOn(cogs.slice(1), done + 1);
  };
  const [cog] = taken?.cogs ?? [];
  return {
    all: (cogs: readonly TrashedCog[]) => void all(cogs),
    asked: taken &&
      cog && {
        ...{ cog, error: taken.error, isBusy: taken.isBusy },
        retry: (name: string) => void retry(taken, cog, name),
        skip: () => void goOn(taken.cogs.slice(1), taken.done),
      },
  };
}

const isTaken = (error: unknown) => error instanceof ApiError && error.code === 'name_collision';

function tellFailures(failed: Outcome<TrashedCog>['failed']) {
  const [first] = failed;
  if (!first) return;
  const what = failed.length === 1 ? `“${first.cog.name}”` : plural(failed.length, 'item');
  const { message } = wordsOf(first.error);
  notifications.show({
    color: 'red',
    title: `${what} could not be restored`,
    message: failed.length === 1 ? message : `“${first.cog.name}”: ${message}`,
  });
}

export function usePurge() {
  const listings = useListings();
  return useMutation({
    mutationFn: async (cogs: readonly TrashedCog[]) =>
      requireAll(gathered(await purgeMany(api, cogs)), 'deleted for ever'),
    onSettled: listings.reload,
  });
}

export function useEmptyTrash() {
  const listings = useListings();
  return useMutation({ mutationFn: () => api.emptyTrash({}), onSettled: listings.reload });
}
