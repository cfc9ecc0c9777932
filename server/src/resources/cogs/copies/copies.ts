/**
 * Copies of files and folders. The bytes are shared: several cogs refer to one object.
 *
 * A large copy takes seconds, and must not stop others meanwhile. So it is first made where nobody
 * sees it, in a transaction of its own that holds no lock of the tree; then one row puts it in its
 * place.
 */

import type { Caller } from '../../../callers.ts';
import { type Db, violates } from '../../../db/connection.ts';
import type { Effect } from '../../../effects.ts';
import { conflict, DomainError, nameCollision, notFound } from '../../../errors.ts';
import type { Services } from '../../../services.ts';
import { recordEvent } from '../../audit-events/audit-events.ts';
import { type Granted, lockTree, requireAccess } from '../../permissions/access.ts';
import { ownsWhatIsInside } from '../../permissions/rules.ts';
import { getCog, rootFolder } from '../cogs.ts';
import { requireDepth } from '../places/depth.ts';
import { raiseLevelsAbove } from '../places/level-queries.ts';
import { checkedName } from '../places/names.ts';
import { requireFreeName } from '../places/outputs-root.ts';
import { requireFolder } from '../places/places.ts';
import { rootId } from '../places/root.ts';
import { findFreeNames, findPath } from '../queries.ts';
import type { Cog, NewCopy } from '../schema.ts';
import { addDetachedCopy, allowTime, attachCopy, dropDetached } from './queries.ts';

export const mostCopied = 100_000;
/** Copied at once; more takes a turn. */
const fewCopied = 1000;
/** For the largest copy: about five seconds, if little else is going on. */
const longest_ms = 60_000;

/**
 * One copy of a cog, with all the caller may see in it: `prepare` makes it, and its effect puts it in
 * its place; `dropUnused` removes it if that did not happen. The copier owns the copy. Grants and
 * earlier versions are not copied.
 *
 * Both throw DomainError 404, 403, 400 for a target that is a file, 409 `root_folder`, `cycle`,
 * `name_collision`, `name_reserved`, `depth_limit` or `too_many_items`.
 *
 * @param replaces whether the caller of the effect removes what has the name, in its transaction.
 */
export function copyOf(
  services: Services,
  caller: Caller,
  id: number,
  given: NewCopy,
  { replaces = false } = {},
) {
  const { db } = services;
  const { tenant_id } = caller;
  let detached: number | undefined;
  let isUsed = false;

  return {
    prepare: async (): Promise<Effect<Cog>> => {
      const source = await requireSource(db, caller, id);
      const name = given.name === undefined ? source.name : checkedName(given.name);
      await db.transaction(async (tx) => {
        const target = await requireTarget(tx, caller, source, given.parent_id, name);
        if (!replaces) await requireUnusedName(tx, caller, target, name);
      });
      const made = await makeDetached(services, caller, source);
      detached = made.id;
      return async (db) => {
        const cog = await attach(db, caller, { ...made, source, name, parentId: given.parent_id });
        isUsed = true;
        return cog;
      };
    },

    dropUnused: async (): Promise<void> => {
      if (detached !== undefined && !isUsed) await dropDetached(db, tenant_id, detached);
    },
  };
}

type Source = Granted & { name: string };

async function requireSource(db: Db, caller: Caller, id: number): Promise<Source> {
  const source = await requireAccess(db, caller, id, 'view');
  if (source.cog_type === 'master_folder') throw rootFolder('copied');
  return { ...source, name: (await getCog(db, caller, id)).name };
}

async function requireUnusedName(tx: Db, caller: Caller, { id }: Granted, name: string) {
  const [free] = await findFreeNames(tx, caller.tenant_id, id, [name]);
  if (free === undefined) throw nameCollision(name);
}

/** Locks the target and checks that a copy of that name may be put there. */
async function requireTarget(
  tx: Db,
  caller: Caller,
  source: Source,
  parentId: number,
  name: string,
): Promise<Granted> {
  const target = await requireFolder(tx, caller, parentId);
  requireFreeName(target, name);
  if (source.cog_type === 'file') return target;
  const path = await findPath(tx, caller, target.id);
  if (path.some((folder) => folder.id === source.id)) {
    throw conflict('cycle', 'A folder cannot be copied into itself, or into a folder inside it.');
  }
  await requireDepth(tx, caller.tenant_id, target.depth + 1, source.id);
  return target;
}

async function makeDetached({ db, largeWrites }: Services, caller: Caller, source: Source) {
  const { tenant_id, role } = caller;
  const root = await rootId(db, caller);
  const make = async (db: Db, most: number) => {
    // In the folder for results everybody sees only what a grant shows, except admins.
    const sees_all = role === 'admin' || source.grant !== undefined;
    const { id, count } = await addDetachedCopy(
      db,
      caller,
      { id: source.id, sees_all },
      root,
      most,
    );
    if (count > most) return undefined;
    if (id === undefined) throw notFound('Cog');
    return { id, count, tenant_id };
  };
  const small = await make(db, fewCopied);
  if (small) return small;
  const end = await largeWrites.take(caller, new AbortController().signal);
  try {
    const made = await db.transaction(async (tx) => {
      await allowTime(tx, longest_ms);
      return make(tx, mostCopied);
    });
    if (made) return made;
  } finally {
    end();
  }
  throw conflict(
    'too_many_items',
    `A copy has at most ${mostCopied} files and folders. Copy the folders in it one by one.`,
  );
}

type Attachment = { id: number; count: number; source: Source; name: string; parentId: number };

function attach(
  db: Db,
  caller: Caller,
  { id, count, source, name, parentId }: Attachment,
): Promise<Cog> {
  const { tenant_id } = caller;
  return db.transaction(async (tx) => {
    await lockTree(tx, tenant_id, 'add');
    const target = await requireFolder(tx, caller, parentId);
    requireFreeName(target, name);
    if (source.cog_type !== 'file') await requireDepth(tx, tenant_id, target.depth + 1, id);
    const place = {
      parent_id: target.id,
      name,
      granted: !ownsWhatIsInside(target.access),
    };
    const made = await attachCopy(tx, caller, id, place).catch((error: unknown) => {
      throw violates(error, 'cogs_name_unique_among_siblings') ? nameCollision(name, error) : error;
    });
    if (!made) throw new DomainError('unavailable', 'The copy took too long. Try it again.');
    if (source.cog_type !== 'file') await raiseLevelsAbove(tx, tenant_id, [id]);
    await recordEvent(tx, caller, {
      action: 'cog.copied',
      target_type: 'cog',
      target_id: id,
      details: { name, parent_id: target.id, copied_from: source.id, count },
    });
    return getCog(tx, caller, id);
  });
}
