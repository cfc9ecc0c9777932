/** The folders of a tree as far as they are loaded. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, apiPage } from '../api.ts';
import { compareNames, isFolder } from '../cogs.ts';

/** Stands above the folders that others shared. */
export const sharedRoot = 'shared';

/** By the id of their parent. With a cursor if there are more. */
export type KnownFolders = Record<
  number | typeof sharedRoot,
  { folders: readonly Cog[]; cursor?: string | undefined } | undefined
>;

const pageSize = 500;

export type FolderTreeData = ReturnType<typeof useFolderTree>;

/**
 * @param inside a file or folder: the tree starts open at the folder that it is in.
 * @param startsAtIt whether it starts at that folder itself instead.
 */
export function useFolderTree(inside: Cog, startsAtIt = false) {
  const client = useQueryClient();
  const [later, setLater] = useState<Partial<KnownFolders>>({});
  const [created, setCreated] = useState<Cog>();
  const start = useQuery({
    queryKey: ['folder tree', inside.id, startsAtIt],
    queryFn: () => loadStart(inside.id, startsAtIt),
    // What is opened later would not fit to a new start.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  // The tree takes other data for another tree, and loses which folders are open.
  const known = useMemo(
    () => ({ ...start.data?.known, ...later }) as KnownFolders,
    [start.data, later],
  );

  /** Loads what is in a folder, or more of it. @returns what came new. */
  const load = async (id: number): Promise<readonly Cog[]> => {
    const before = known[id];
    const page = await foldersIn(id, before?.cursor);
    const folders = [...(before?.cursor === undefined ? [] : before.folders), ...page.folders];
    setLater((old) => ({ ...old, [id]: { ...page, folders } }));
    return page.folders;
  };
  return {
    error: start.error,
    root: start.data?.root,
    /** The folders that are open at first, from the root. */
    path: start.data?.path ?? [],
    known,
    load,
    created,
    /** Shows a new folder. */
    add: (folder: Cog) => {
      setCreated(folder);
      const parent = folder.parent_id ?? 0;
      const { folders = [], ...rest } = known[parent] ?? {};
      const all = [...folders.filter(({ id }) => id !== folder.id), folder];
      all.sort((a, b) => compareNames(a.name, b.name));
      setLater((old) => ({ ...old, [parent]: { ...rest, folders: all } }));
      void client.invalidateQueries({ queryKey: ['children', parent] });
    },
  };
}

/** The root, and the folders beside each folder on the way to where the tree starts. */
async function loadStart(id: number, startsAtIt: boolean) {
  const [root, path, shared] = await Promise.all([
    api.getRootCog(),
    api.getCogPath({ path: { id } }),
    apiPage('listCogsSharedWithMe', { query: { limit: pageSize } }, undefined),
  ]);
  // The results of a test are below no root: from there one goes to the root.
  const way = path[0]?.id === root.id ? path : [];
  const opened = [
    ...new Set([root.id, ...(startsAtIt ? way : way.slice(0, -1)).map((cog) => cog.id)]),
  ];
  const below = await Promise.all(opened.map(async (one) => [one, await foldersIn(one)] as const));
  const known: KnownFolders = {
    ...Object.fromEntries(below),
    [sharedRoot]: { folders: shared.rows.filter(isFolder) },
  };
  return { root, path: opened, known };
}

async function foldersIn(parent_id: number, cursor?: string) {
  const query = { parent_id, cog_type: 'asset_folder', sort: 'name', limit: pageSize } as const;
  const page = await apiPage('listCogs', { query }, cursor);
  return { folders: page.rows, cursor: page.cursor };
}
