/** Storing what a WebDAV client sends: a new file, or a new version of one. */
import type { Db } from '../../db/connection.ts';
import { DomainError } from '../../errors.ts';
import type { IncomingFile } from '../../incoming-files.ts';
import type { Services } from '../../services.ts';
import type { openUploads } from '../cogs/files/uploads.ts';
import type { Cog } from '../cogs/schema.ts';
import { receiveContent } from '../cogs/versions/versions.ts';
import { type Client, changing, requireAllowed } from './conditions.ts';
import { parentOf } from './locks.ts';
import { isFolder, type Located, locate, requireCog } from './resources.ts';
import { keepTime } from './times.ts';

/**
 * Stores the bytes as they come. Everything is checked before the first one is read, and again
 * before they become visible.
 *
 * @returns the cog, and whether it is new.
 * @throws DomainError 405 for a folder, 409 without the folder above, 412, 423
 */
export async function storeFile(
  services: Services,
  uploads: ReturnType<typeof openUploads>,
  client: Client,
  names: readonly string[],
  given: Omit<IncomingFile, 'name'>,
  modified_seconds: number | undefined,
): Promise<{ cog: Cog; isNew: boolean }> {
  const { db, readDb } = services;
  const { caller, conditions, matches } = client;
  const located = await locate(db, caller, names, readDb);
  const target = targetOf(located);
  await requireAllowed(db, client, located, [target]);

  const incoming = located.found
    ? asVersion(services, client, target)
    : asNewFile(uploads, client, target);
  let isStored = false;
  try {
    await incoming.store({ ...given, name: names.at(-1) ?? '' });
    isStored = true;
    const cog = await changing(db, client, async (tx, allow) => {
      // Conditions can name the content: that can have changed while the bytes came.
      const isBound = conditions.length > 0 || Object.values(matches).some(Boolean);
      await allow(isBound ? await locate(tx, caller, names) : located, [target]);
      return keepTimed(tx, incoming.keep);
    });
    return { cog, isNew: located.found === undefined };
  } catch (error) {
    if (!('keepAsVersion' in incoming) || !isCollision(error)) throw error;
    if (matches.ifNoneMatch !== undefined) throw taken(error);
    // Another one got the name meanwhile, unless it is hidden: this PUT comes after that.
    if ((await locate(db, caller, names)).found === undefined) throw error;
    if (!isStored) return storeFile(services, uploads, client, names, given, modified_seconds);
    const { keepAsVersion } = incoming;
    const cog = await changing(db, client, async (tx, allow) => {
      const now = await locate(tx, caller, names);
      if (now.found === undefined) throw error;
      const file = targetOf(now);
      await allow(now, [file]);
      return keepTimed(tx, () => keepAsVersion(tx, file.id, matches.ifMatch));
    });
    return { cog, isNew: false };
  } finally {
    await incoming.dropUnused();
  }

  async function keepTimed(tx: Db, keep: (tx: Db) => Promise<Cog>): Promise<Cog> {
    const kept = await keep(tx);
    await keepTime(tx, caller.tenant_id, kept, modified_seconds);
    return kept;
  }
}

/** The file that is there, or the folder it is to be in. @throws DomainError 405, 409 */
function targetOf(located: Located): Cog {
  if (located.found === undefined) return parentOf(located);
  if (isFolder(located.found)) {
    throw new DomainError('method_not_allowed', 'This is a folder, and has no content.');
  }
  return requireCog(located);
}

const asVersion = (services: Services, { caller, matches }: Client, { id }: Cog) =>
  receiveContent(services, caller, id, matches.ifMatch);

function asNewFile(uploads: ReturnType<typeof openUploads>, { caller }: Client, folder: Cog) {
  const parent_id = String(folder.id);
  const { store, makeFile, keepAsVersion, dropUnused } = uploads.receive(caller);
  return {
    store: (file: IncomingFile) => store(file, { parent_id }),
    keep: (tx: Db) => makeFile(tx, { parent_id }),
    keepAsVersion,
    dropUnused,
  };
}

const isCollision = (error: unknown) =>
  error instanceof DomainError && error.code === 'name_collision';

const taken = (cause: unknown) =>
  new DomainError('precondition_failed', 'There is already something at this address.', { cause });
