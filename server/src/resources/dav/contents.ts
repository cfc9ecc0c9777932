/** Storing what a WebDAV client sends: a new file, or a new version of one. */
import { DomainError } from '../../errors.ts';
import type { IncomingFile } from '../../incoming-files.ts';
import type { Services } from '../../services.ts';
import type { openUploads } from '../cogs/files/uploads.ts';
import type { Cog } from '../cogs/schema.ts';
import { receiveContent } from '../cogs/versions/versions.ts';
import { type Client, changing, requireAllowed } from './conditions.ts';
import { parentOf } from './locks.ts';
import { isFolder, locate, requireCog } from './resources.ts';
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
  const { conditions, matches } = client;
  const located = await locate(db, client.caller, names, readDb);
  if (located.found && isFolder(located.found)) {
    throw new DomainError('method_not_allowed', 'This is a folder, and has no content.');
  }
  const target = located.found ? requireCog(located) : parentOf(located);
  await requireAllowed(db, client, located, [target]);

  const incoming = located.found
    ? asVersion(services, client, target)
    : asNewFile(uploads, client, target);
  try {
    await incoming.store({ ...given, name: names.at(-1) ?? '' });
    const cog = await changing(db, client, async (tx, allow) => {
      // Conditions can name the content: that can have changed while the bytes came.
      const isBound = conditions.length > 0 || Object.values(matches).some(Boolean);
      await allow(isBound ? await locate(tx, client.caller, names) : located, [target]);
      const kept = await incoming.keep(tx);
      await keepTime(tx, client.caller.tenant_id, kept, modified_seconds);
      return kept;
    });
    return { cog, isNew: located.found === undefined };
  } catch (error) {
    throw matches.ifNoneMatch !== undefined && isCollision(error) ? taken(error) : error;
  } finally {
    await incoming.dropUnused();
  }
}

const asVersion = (services: Services, { caller, matches }: Client, { id }: Cog) =>
  receiveContent(services, caller, id, matches.ifMatch);

function asNewFile(uploads: ReturnType<typeof openUploads>, { caller }: Client, folder: Cog) {
  const parent_id = String(folder.id);
  const { store, makeFile, dropUnused } = uploads.receive(caller);
  return {
    store: (file: IncomingFile) => store(file, { parent_id }),
    keep: (tx: Parameters<typeof makeFile>[0]) => makeFile(tx, { parent_id }),
    dropUnused,
  };
}

const isCollision = (error: unknown) =>
  error instanceof DomainError && error.code === 'name_collision';

const taken = (cause: unknown) =>
  new DomainError('precondition_failed', 'There is already something at this address.', { cause });
