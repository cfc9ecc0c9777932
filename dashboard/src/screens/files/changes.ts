/** Changes of files and folders. Each offers to be undone. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { nextName } from '@cogworks/sdk/next-name';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { wordsOf } from '../../ui/await.tsx';
import { plural } from '../../ui/format.ts';
import { offerUndo } from '../../undo.tsx';
import { useListings } from './listings.ts';

export function useCreateFolder(parentId: number) {
  const listings = useListings();
  return useMutation({
    mutationFn: (name: string) =>
      api.createFolder({ body: { name, cog_type: 'asset_folder', parent_id: parentId } }),
    onSuccess: (folder) => listings.put([folder]),
  });
}

export function useRename() {
  const listings = useListings();
  return useMutation({
    mutationFn: async ({ cog, name }: { cog: Cog; name: string }) => {
      const rename = async (to: string) => {
        await listings.put([await api.changeCog({ path: { id: cog.id }, body: { name: to } })]);
      };
      await rename(name);
      offerUndo(`“${cog.name}” is now called “${name}”.`, () => rename(cog.name));
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
      const outcome = await each(cogs, (cog) => moveTo(cog, folder.id));
      const back = async () => {
        const moved = await each(outcome.done, (cog) => moveTo(cog, cog.parent_id));
        await listings.put(moved.answers);
        requireAll(moved, 'moved back');
      };
      await listings.put(outcome.answers);
      if (outcome.done.length > 0) {
        offerUndo(`${nameOf(outcome.done)} moved to “${nameOfFolder(folder)}”.`, back);
      }
      requireAll(outcome, 'moved');
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
          const title = `${nameOf(cogs)} could not be moved`;
          notifications.show({ color: 'red', title, message: wordsOf(error).message });
        },
      },
    );
}

const moveTo = (cog: Cog, parent_id: number | undefined) =>
  api.changeCog({ path: { id: cog.id }, body: { ...(parent_id !== undefined && { parent_id }) } });

export function useCopy() {
  const listings = useListings();
  return useMutation({
    mutationFn: async ({ cogs, folder }: Moving) => {
      const outcome = await each(cogs, (cog) => copyInto(cog, folder.id));
      const back = async () => {
        const removed = await each(outcome.answers, ({ id }) => api.deleteCog({ path: { id } }));
        await listings.drop(removed.done);
        requireAll(removed, 'removed again');
      };
      await listings.put(outcome.answers);
      if (outcome.done.length > 0) {
        offerUndo(`${nameOf(outcome.done)} copied to “${nameOfFolder(folder)}”.`, back);
      }
      requireAll(outcome, 'copied');
    },
  });
}

/** Under the next free name if its own is taken. */
async function copyInto({ id, name: own }: Cog, parent_id: number): Promise<Cog> {
  for (let [name, tries] = [own, 1]; ; [name, tries] = [nextName(name), tries + 1]) {
    try {
      return await api.copyCog({ path: { id }, body: { parent_id, name } });
    } catch (error) {
      const isTaken = error instanceof ApiError && error.code === 'name_collision';
      if (!isTaken || tries >= 20) throw error;
    }
  }
}

export function useDelete() {
  const listings = useListings();
  return useMutation({
    mutationFn: async (cogs: readonly Cog[]) => {
      const outcome = await each(cogs, ({ id }) => api.deleteCog({ path: { id } }));
      const back = async () => {
        const restored = await each(outcome.done, ({ id }) =>
          api.restoreCog({ path: { id }, body: {} }),
        );
        await listings.put(restored.done);
        requireAll(restored, 'restored');
      };
      await listings.drop(outcome.done);
      if (outcome.done.length > 0) offerUndo(`${nameOf(outcome.done)} moved to the trash.`, back);
      requireAll(outcome, 'deleted');
    },
  });
}

type Outcome<Answer> = {
  done: Cog[];
  answers: Answer[];
  failed: { cog: Cog; error: unknown }[];
};

/** Changes one after another; a failure does not stop the rest. */
async function each<Answer>(
  cogs: readonly Cog[],
  change: (cog: Cog) => Promise<Answer>,
): Promise<Outcome<Answer>> {
  const outcome: Outcome<Answer> = { done: [], answers: [], failed: [] };
  for (const cog of cogs) {
    try {
      outcome.answers.push(await change(cog));
      outcome.done.push(cog);
    } catch (error) {
      outcome.failed.push({ cog, error });
    }
  }
  return outcome;
}

/** @throws what went wrong, if anything did; for several items with how many and the first. */
function requireAll({ done, failed }: Outcome<unknown>, verb: string): void {
  const [first] = failed;
  if (!first) return;
  if (done.length + failed.length === 1) throw first.error;
  const { message } = wordsOf(first.error);
  const count = `${plural(failed.length, 'item')} could not be ${verb}.`;
  throw new Error(`${count} “${first.cog.name}”: ${message}`);
}

const nameOf = (cogs: readonly Cog[]) =>
  cogs.length === 1 ? `“${cogs[0]?.name}”` : plural(cogs.length, 'item');

export const nameOfFolder = (folder: Cog): string =>
  folder.cog_type === 'master_folder' ? 'My Files' : folder.name;
