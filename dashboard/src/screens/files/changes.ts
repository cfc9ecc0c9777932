/** Changes of files and folders. Each offers to be undone. */

import {
  type Changed,
  copyMany,
  deleteMany,
  moveMany,
  restoreMany,
} from '@cogworks/sdk/change-many';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { nameOfFolder } from '../../cogs.ts';
import { useOnce } from '../../request-key.ts';
import { wordsOf } from '../../ui/await.tsx';
import { offerUndo } from '../../undo.tsx';
import {
  copiedWords,
  deletedWords,
  movedWords,
  notMovedWords,
  type Undone,
  undone,
} from './change-words.ts';
import { useListings } from './listings.ts';

export function useCreateFolder(parentId: number) {
  const listings = useListings();
  const once = useOnce();
  return useMutation({
    mutationFn: (name: string) => {
      const body = { name, cog_type: 'asset_folder' as const, parent_id: parentId };
      return once(body, (idempotencyKey) => api.createFolder({ body, idempotencyKey }));
    },
    onSuccess: (folder) => listings.put([folder]),
  });
}

export function useRename() {
  const listings = useListings();
  return useMutation({
    mutationFn: async ({ cog, name }: { cog: Cog; name: string }) => {
      const rename = async (to: string) => {
        // The second time changes nothing.
        const named = { path: { id: cog.id }, body: { name: to }, isRepeatable: true };
        listings.put([await api.changeCog(named)]);
      };
      await rename(name);
      offerUndo(t`“${cog.name}” is now called “${name}”.`, () => rename(cog.name));
    },
    // Somebody else has deleted it.
    onError: (error, { cog }) =>
      error instanceof ApiError && error.status === 404 ? listings.drop([cog]) : undefined,
  });
}

type Moving = { cogs: readonly Cog[]; folder: Cog };

export function useMove() {
  const listings = useListings();
  return useMutation({
    mutationFn: async ({ cogs, folder }: Moving) => {
      const outcome = gathered(await moveMany(api, cogs, folder.id));
      const back = async () => {
        const moved = gathered(await moveBack(outcome.done));
        listings.put(moved.answers);
        requireAll(moved, undone.movedBack);
      };
      listings.put(outcome.answers);
      tell(outcome, undone.moved, movedWords(outcome.done, nameOfFolder(folder)), back);
    },
  });
}

/** Without a dialog, so that a failure is told in a notice. */
export function useMoveByDrag() {
  const move = useMove();
  return (cogs: readonly Cog[], folder: Cog) =>
    move.mutate(
      { cogs, folder },
      {
        onError: (error) => {
          const title = notMovedWords(cogs);
          notifications.show({ color: 'red', title, message: wordsOf(error).message });
        },
      },
    );
}

/** Each to the folder it was in; one of which that is not known stays. */
async function moveBack(cogs: readonly Cog[]): Promise<Changed<Cog, Cog>[]> {
  const outcomes: Changed<Cog, Cog>[] = [];
  for (const [folderId, some] of Map.groupBy(cogs, ({ parent_id }) => parent_id)) {
    if (folderId !== undefined) outcomes.push(...(await moveMany(api, some, folderId)));
  }
  return outcomes;
}

export function useCopy() {
  const listings = useListings();
  return useMutation({
    mutationFn: async ({ cogs, folder }: Moving) => {
      const outcome = gathered(await copyMany(api, cogs, folder.id, { existing: 'number' }));
      const back = async () => {
        const removed = gathered(await deleteMany(api, outcome.answers));
        listings.drop(removed.done);
        requireAll(removed, undone.removedAgain);
      };
      listings.put(outcome.answers);
      tell(outcome, undone.copied, copiedWords(outcome.done, nameOfFolder(folder)), back);
    },
  });
}

export function useDelete() {
  const listings = useListings();
  return useMutation({
    mutationFn: async (cogs: readonly Cog[]) => {
      const outcome = gathered(await deleteMany(api, cogs));
      const back = async () => {
        const restored = gathered(await restoreMany(api, outcome.done));
        listings.put(restored.done);
        requireAll(restored, undone.restored);
      };
      listings.drop(outcome.done);
      tell(outcome, undone.deleted, deletedWords(outcome.done), back);
    },
  });
}

/**
 * Says what was done, and offers to take it back.
 *
 * @throws as `requireAll`.
 */
function tell(
  outcome: Outcome<Cog>,
  undoneWords: Undone,
  doneWords: string,
  back: () => Promise<void>,
): void {
  if (outcome.done.length > 0) offerUndo(doneWords, back);
  requireAll(outcome, undoneWords);
}

export type Outcome<Item, Answer = unknown> = {
  done: Item[];
  answers: Answer[];
  failed: { cog: Item; error: unknown }[];
};

/** What was done, and what was not, of a change of many at once. */
export const gathered = <Item, Answer>(
  changed: readonly Changed<Item, Answer>[],
): Outcome<Item, Answer> => ({
  done: changed.flatMap(({ item, error }) => (error === undefined ? item : [])),
  answers: changed.flatMap(({ cog }) => cog ?? []),
  failed: changed.flatMap(({ item: cog, error }) => (error === undefined ? [] : { cog, error })),
});

/** @throws what went wrong, if anything did; for several items with how many and the first. */
export function requireAll({ done, failed }: Outcome<{ name: string }>, undoneWords: Undone): void {
  const [first] = failed;
  if (!first) return;
  if (done.length + failed.length === 1) throw first.error;
  const { message } = wordsOf(first.error);
  throw new Error(`${undoneWords(failed.length)} “${first.cog.name}”: ${message}`);
}
