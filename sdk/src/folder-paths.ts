/** Finds files and folders by their paths below a folder, and remembers the folders. */
import type { Client } from './client.ts';
import { ApiError } from './errors.ts';

export type FolderPaths = {
  /** @returns the id of a file, unless there is none. */
  file(path: string): Promise<number | undefined>;
  /** @returns the id of a folder, unless there is none; of "" the base. */
  folder(path: string): Promise<number | undefined>;
  /** Makes it, and those above it, where they are missing. @throws ApiError */
  ensureFolder(path: string): Promise<number | undefined>;
};

type Base = {
  /** The folder that paths begin in; omitted for the root. */
  parent_id?: number | undefined;
  signal?: AbortSignal | undefined;
};

export function folderPaths(client: Client, { parent_id, signal }: Base): FolderPaths {
  const known = new Map<string, Promise<number | undefined>>();

  const child = async (folder: number | undefined, name: string, isFile: boolean) => {
    const cog_type = isFile ? 'file' : 'asset_folder';
    const query = { parent_id: folder, name: name.normalize(), cog_type } as const;
    const [found] = await client.listCogs({ query, signal });
    return found?.id;
  };
  const inFolder = async (path: string, isFile: boolean) => {
    const at = path.lastIndexOf('/');
    const parent = await folder(path.slice(0, Math.max(0, at)));
    if (at >= 0 && parent === undefined) return undefined;
    return child(parent, path.slice(at + 1), isFile);
  };
  const folder = (path: string): Promise<number | undefined> => {
    if (path === '') return Promise.resolve(parent_id);
    const finding = known.get(path) ?? inFolder(path, false);
    known.set(path, finding);
    return finding;
  };
  const ensureFolder = async (path: string): Promise<number | undefined> => {
    const found = await folder(path);
    if (found !== undefined || path === '') return found;
    const at = path.lastIndexOf('/');
    const above = await ensureFolder(path.slice(0, Math.max(0, at)));
    const name = path.slice(at + 1);
    const making = make(above, name);
    known.set(path, making);
    return making;
  };
  const make = async (above: number | undefined, name: string): Promise<number> => {
    const body = { name, cog_type: 'asset_folder', parent_id: above } as const;
    try {
      return (await client.createFolder({ body, signal })).id;
    } catch (error) {
      // Another program makes it at the same time.
      const isTaken = error instanceof ApiError && error.code === 'name_collision';
      const found = isTaken ? await child(above, name, false) : undefined;
      if (found === undefined) throw error;
      return found;
    }
  };
  return { file: (path) => inFolder(path, true), folder, ensureFolder };
}
