/**
 * Previews of files: small pictures of images and of the first pages of PDFs, made at the first
 * request. They belong to the stored bytes, so copies and restored versions share them.
 */
import type { Caller } from '../../../callers.ts';
import { invalid } from '../../../errors.ts';
import { openMakers } from '../../../previews/makers.ts';
import type { Services } from '../../../services.ts';
import { reachedBy, requireNeed } from '../../permissions/access.ts';
import { versionToDownload } from '../versions/versions.ts';
import { noPreview, openMaking, type Preview } from './making.ts';
import { findPreview, findPreviewOf, type PreviewState, type Source } from './queries.ts';

export type Wanted = { id: number; size: number; version?: number };

export function openPreviews(services: Services) {
  const { db, readDb, limits } = services;
  const makers = openMakers(limits.previews);
  const making = openMaking(services, makers);
  const underWay = new Map<string, Promise<Preview | undefined>>();

  async function find(caller: Caller, { id, size, version }: Wanted) {
    if (version === undefined) {
      const found = await findPreviewOf(readDb, caller, id, size);
      const cog = requireNeed(found && reachedBy(caller.role, found), 'view');
      if (!found) throw new Error('A cog that was found is missing.');
      if (cog.cog_type !== 'file') throw invalid('This is a folder: only files have previews.');
      return found;
    }
    const source: Source = await versionToDownload(db, caller, id, version);
    const state = await findPreview(db, caller.tenant_id, source.object_id, size);
    const { object_id, key, size_bytes } = source;
    return { is_claimed: false, ...state, object_id, key, size_bytes };
  }

  /** One at a time for the same bytes; it goes on when the client has gone. */
  function makeOnce(tenantId: number, source: Source, size: number) {
    const name = `${tenantId} ${source.object_id} ${size}`;
    const found = underWay.get(name);
    if (found) return found;
    const made = making.make(tenantId, source, size).finally(() => underWay.delete(name));
    underWay.set(name, made);
    return made;
  }

  return {
    /**
     * The preview, if the caller may see the file.
     *
     * @returns undefined as long as it is being made.
     * @throws DomainError 415 `no_preview`, 429, 404, 403, 400 for a folder.
     */
    get: async (caller: Caller, wanted: Wanted): Promise<Preview | undefined> => {
      const found = await find(caller, wanted);
      const made = madeOf(found);
      if (made) return made;
      if (found.reason !== undefined) throw noPreview(found.reason);
      making.requireOn();
      if (
        found.is_claimed &&
        !underWay.has(`${caller.tenant_id} ${found.object_id} ${wanted.size}`)
      )
        return undefined;
      const { object_id, key, size_bytes } = found;
      const source = { object_id, key, size_bytes };
      return within(makeOnce(caller.tenant_id, source, wanted.size), limits.previews.wait_ms);
    },

    makers,

    /** Ends the processes, and waits for what is being stored. */
    close: async (): Promise<void> => {
      await makers.close();
      await Promise.allSettled(underWay.values());
    },
  };
}

function madeOf({ made_key: key, made_bytes, made_sha256 }: PreviewState): Preview | undefined {
  if (key === undefined || made_bytes === undefined || made_sha256 === undefined) return undefined;
  return { key, size_bytes: made_bytes, checksum_sha256: made_sha256 };
}

/** @returns what `work` gives; undefined if it takes longer, which does not end it. */
async function within<T>(work: Promise<T>, wait_ms: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), wait_ms);
  // Nobody waits for it any more: its failure is told to the next request.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
