/**
 * What is at an address: a file or folder as the caller sees the tree, or the folder `Shared with
 * me`, which exists here only. It holds what was shared with a member deep inside folders that are
 * hidden from them, so that everything they may see has an address.
 */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';
import { forbidden, notFound } from '../../errors.ts';
import { numberedName } from '../cogs/places/names.ts';
import { followPath, followSharedPath } from '../cogs/places/paths.ts';
import type { Cog } from '../cogs/schema.ts';

export const sharedFolder = 'Shared with me';

export type Resource = Cog | 'shared folder';

export type Located = {
  names: readonly string[];
  /** What is there, if it is shown to the caller. */
  found: Resource | undefined;
  /** The folder it is in or would be in, likewise; undefined for the root too. */
  parent: Resource | undefined;
  /** The cogs on the way, as far as they exist; the last one has the last name if it is found. */
  steps: readonly Cog[];
};

/** Admins see everything in its place. */
export const hasSharedFolder = ({ role }: Caller): boolean => role !== 'admin';

/** In one statement. @param readDb for look-ups along keys. */
export async function locate(
  db: Db,
  caller: Caller,
  names: readonly string[],
  readDb: Tag = db,
): Promise<Located> {
  const [first, ...rest] = names;
  if (first === sharedFolder && hasSharedFolder(caller))
    return locateShared(db, caller, names, rest);
  const steps = await followPath(db, caller, names, readDb);
  return { names, found: steps[names.length], parent: steps[names.length - 1], steps };
}

async function locateShared(
  db: Db,
  caller: Caller,
  names: readonly string[],
  [first, ...rest]: readonly string[],
): Promise<Located> {
  if (first === undefined) return { names, found: 'shared folder', parent: undefined, steps: [] };
  let steps: Cog[] = [];
  for (const start of startsOf(first)) {
    steps = await followSharedPath(db, caller, start, rest);
    if (steps.length > 0) break;
  }
  const parent = rest.length === 0 ? 'shared folder' : steps[rest.length - 1];
  return { names, found: steps[rest.length], parent, steps };
}

/**
 * The name of a cog in the shared folder. These come from many folders: of several with one name,
 * all but the first have their id in it.
 */
export const sharedName = ({ name, id }: Cog, isFirst: boolean): string =>
  isFirst ? name : numberedName(name, id);

/** What such a name can mean. */
function startsOf(shown: string): { name: string; id: number | undefined }[] {
  const [, stem = '', id, extension = ''] = /^(.*) \((\d{1,15})\)(\.[^.]*)?$/.exec(shown) ?? [];
  const plain = { name: shown, id: undefined };
  return id === undefined ? [plain] : [plain, { name: stem + extension, id: Number(id) }];
}

/** @throws DomainError 404 */
export function requireFound({ found }: Located): Resource {
  if (found === undefined) throw notFound('Cog');
  return found;
}

/** What can be changed. @throws DomainError 404; 403 for the folder that exists here only. */
export function requireCog(located: Located): Cog {
  const found = requireFound(located);
  if (found === 'shared folder') throw fixed();
  return found;
}

export const fixed = () =>
  forbidden(
    `"${sharedFolder}" shows what others shared: nothing can be put into it or renamed to it.`,
  );

export const isFolder = (resource: Resource): boolean =>
  resource === 'shared folder' || resource.cog_type !== 'file';
