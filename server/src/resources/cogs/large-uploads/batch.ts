/** Many files in one request: announced together, with their folders, and confirmed together. */
import { openBarrier } from '../../../barrier.ts';
import type { Caller } from '../../../callers.ts';
import { attempt, type Decided, joined, resultsOf, settled } from '../../../decided.ts';
import type { Effect } from '../../../effects.ts';
import type { Services } from '../../../services.ts';
import { lockTree } from '../../permissions/access.ts';
import { ensureFolders } from '../places/folder-trees.ts';
import { checkedName } from '../places/names.ts';
import { requireFolder } from '../places/places.ts';
import type { Cog } from '../schema.ts';
import type { Confirmations } from './confirm.ts';
import {
  type Announced,
  begin,
  contentOf,
  declaredType,
  isRecorded,
  type Recorded,
  recordUploads,
  requireRoom,
  tell,
  type Unchanged,
} from './initiate.ts';
import type { BegunUpload, NewBatch, OneConfirmation, Verifying } from './schema.ts';

type File = NewBatch['files'][number] & {
  chunk_size: number | undefined;
  existing: Announced['existing'];
};

/** An announced file; `cog_id` if it becomes a new version of that file. */
export type BegunFile = { upload: BegunUpload; cog_id?: number } | Unchanged;

/** A file of the batch: the folders it is in, and what it is. */
type Placed = { folders: string[]; name: string; file: File };

/**
 * Announces files, and creates the missing folders of their paths. With `existing` a file whose name
 * is taken by another one becomes a new version of that; with `changed` only if its content differs.
 *
 * @returns the outcome of each; the others are not affected by one that is refused.
 * @throws DomainError 404, 403 or 400 for the folder, 507 `storage_full` if they do not fit.
 */
export async function initiateMany(
  services: Services,
  caller: Caller,
  { parent_id, chunk_size, existing, files }: NewBatch,
): Promise<Effect<Decided<BegunFile>[]>> {
  const common = { chunk_size, existing: existing === 'refuse' ? undefined : existing };
  const read = files.map((file, at) => attempt(() => placedAt({ ...file, ...common }, at)));
  const placed = resultsOf(read);
  await requireRoom(
    services,
    placed.map(({ file }) => contentOf(file)),
  );
  const recorded = await record(services, caller, parent_id, placed);
  const outcomes = joined(read, recorded);
  const begun = await begin(services, resultsOf(recorded).filter(isRecorded));
  return async (tx) => {
    const told = await tell(services, tx, caller.tenant_id, begun);
    const byId = new Map(told.map((upload) => [upload.upload_id, upload]));
    return outcomes.map((one): Decided<BegunFile> => {
      if ('error' in one) return one;
      if (!isRecorded(one.result)) return { result: one.result };
      const { id, cog_id } = one.result;
      const upload = byId.get(id);
      if (!upload) return { error: new Error('The upload has ended already.') };
      return { result: { upload, ...(cog_id === undefined ? {} : { cog_id }) } };
    });
  };
}

/** @throws DomainError 422 for a name in its path. */
function placedAt(file: File, at: number): Placed {
  const loc = ['body', 'files', at, 'path'];
  const names = file.path.split('/').map((name) => checkedName(name, loc));
  return { folders: names.slice(0, -1), name: names.at(-1) ?? '', file };
}

/** In one transaction; each level of folders takes one round trip. */
function record(
  { db, limits }: Pick<Services, 'db' | 'limits'>,
  caller: Caller,
  parentId: number | undefined,
  placed: readonly Placed[],
): Promise<Decided<Recorded | Unchanged>[]> {
  const mostOpen = limits.uploads.most_open;
  return db.transaction(
    async (tx) => {
      await lockTree(tx, caller.tenant_id, 'add');
      const base = await requireFolder(tx, caller, parentId);
      const paths = placed.map(({ folders }) => folders);
      const { at } = await ensureFolders(tx, caller, base, paths);
      const announced = placed.map(({ folders, name, file }) =>
        attempt((): Announced => ({ ...announcedAs(name, file), parent_id: at(folders).id })),
      );
      return joined(announced, await recordUploads(tx, caller, resultsOf(announced), mostOpen));
    },
    { isRepeatable: true },
  );
}

const announcedAs = (name: string, { mime_type, existing, ...file }: File) => ({
  ...contentOf(file),
  ...{ name, mime_type: declaredType(name, mime_type), existing },
});

/** Confirmations that work side by side: as many files as share a transaction. */
const sideBySide = 64;

/** Files that are ready wait this long for the bytes of others at most. */
const longestWait_ms = 5000;

/**
 * Confirms uploads, each for itself. Small files share their statements, whichever of them is ready
 * first; large ones hold up nobody.
 *
 * @returns the outcome of each.
 */
export async function confirmMany(
  { confirm, deadline }: Pick<Confirmations, 'confirm' | 'deadline'>,
  caller: Caller,
  given: readonly OneConfirmation[],
): Promise<Decided<Cog | Verifying>[]> {
  const end = deadline();
  const all: Promise<Decided<Cog | Verifying>>[] = [];
  for (let from = 0; from < given.length; from += sideBySide) {
    const parties = openBarrier(Math.min(sideBySide, given.length - from), longestWait_ms);
    const some = parties.map((party, n) => {
      const loc = ['body', 'uploads', from + n];
      const one = given[from + n] as OneConfirmation;
      const outcome = settled(
        confirm(caller, one, { deadline: end, loc, party, ifMatch: one.if_match }),
      ).finally(party.leave);
      return { outcome, party };
    });
    all.push(...some.map(({ outcome }) => outcome));
    await Promise.all(some.map(({ outcome, party }) => Promise.race([outcome, party.left])));
  }
  return Promise.all(all);
}
