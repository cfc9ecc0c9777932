/**
 * Download URLs: who has one may download, without credentials, what its maker may see. Rights are
 * read at each use, so a URL never gives more than its maker has at that time.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Tag } from '../../../db/statement.ts';
import { DomainError, forbidden, invalid, notFound } from '../../../errors.ts';
import type { Listed, Page } from '../../../pages.ts';
import type { Services } from '../../../services.ts';
import { recordEvent } from '../../audit-events/audit-events.ts';
import {
  reach,
  reachedBy,
  requireAccess,
  requireAccessToAll,
  requireNeed,
} from '../../permissions/access.ts';
import type { StoredFile } from '../files/queries.ts';
import type {
  DownloadUrl,
  DownloadUrlRequest,
  NewDownloadUrl,
  SelectionUrlRequest,
} from '../schema.ts';
import { requireVersion } from '../versions/versions.ts';
import {
  addUrl,
  countUrls,
  findUrls,
  findUsed,
  lockUrl,
  removeExpired,
  removeUrl,
  type WhichUrls,
} from './queries.ts';

/** Seconds, unless the request says otherwise. */
const usualLife = 3600;

type Making = Pick<Services, 'baseUrl'>;

/**
 * Makes a URL for a file or a folder.
 *
 * @throws DomainError 400 for a version of a folder, 404 for one that does not exist.
 */
export function makeDownloadUrl(
  services: Making,
  tx: Db,
  caller: Caller,
  id: number,
  { version, ...request }: DownloadUrlRequest,
): Promise<NewDownloadUrl> {
  return tx.transaction(async (inTx) => {
    const cog = await requireAccess(inTx, caller, id, 'view');
    if (version !== undefined) {
      if (cog.cog_type !== 'file') throw invalid('This is a folder: only files have versions.');
      await requireVersion(inTx, caller, id, version);
    }
    return makeUrl(services, inTx, caller, {
      ...{ cog_ids: [id], is_selection: false, version, inline: request.inline ?? false },
      expires_in: request.expires_in ?? usualLife,
    });
  });
}

/** Makes a URL for several files and folders as one ZIP. */
export function makeSelectionUrl(
  services: Making,
  tx: Db,
  caller: Caller,
  { cog_ids: given, expires_in = usualLife }: SelectionUrlRequest,
): Promise<NewDownloadUrl> {
  const cog_ids = [...new Set(given)];
  return tx.transaction(async (inTx) => {
    await requireAccessToAll(inTx, caller, cog_ids, 'view');
    return makeUrl(services, inTx, caller, {
      ...{ cog_ids, is_selection: true, version: undefined, inline: false, expires_in },
    });
  });
}

async function makeUrl(
  { baseUrl }: Making,
  tx: Db,
  caller: Caller,
  url: Omit<Parameters<typeof addUrl>[2], 'token_hash'>,
): Promise<NewDownloadUrl> {
  const token = randomBytes(32).toString('base64url');
  const made = await addUrl(tx, caller, { ...url, token_hash: hashOf(token) });
  await recordEvent(tx, caller, eventOf('download_url.created', made));
  return { ...made, url: `${baseUrl()}/d/${token}` };
}

/** 256 random bits cannot be guessed, so a fast hash is enough. */
const hashOf = (token: string) => createHash('sha256').update(token).digest();

const eventOf = (
  action: string,
  { id, cog_ids, version, created_by, expires_at }: DownloadUrl,
) => ({
  action,
  target_type: 'download_url',
  target_id: id,
  details: { cog_ids, created_by, expires_at, ...(version === undefined ? {} : { version }) },
});

/** Live URLs of a cog: all of them for its owners and for admins, else the caller's own. */
export async function listDownloadUrls(
  db: Db,
  caller: Caller,
  cog_id: number,
  page: Page,
): Promise<Listed<DownloadUrl>> {
  const { access } = await requireAccess(db, caller, cog_id, 'view');
  const whose = access.level === 'owner' ? {} : { created_by: caller.user_id };
  return listUrls(db, { tenant_id: caller.tenant_id, cog_id, ...whose }, page);
}

/** Live URLs of any cogs: all of the tenant for admins, else the caller's own. */
export const listMyDownloadUrls = (
  db: Db,
  { tenant_id, user_id, role }: Caller,
  page: Page,
): Promise<Listed<DownloadUrl>> =>
  listUrls(db, { tenant_id, ...(role === 'admin' ? {} : { created_by: user_id }) }, page);

async function listUrls(db: Db, which: WhichUrls, page: Page): Promise<Listed<DownloadUrl>> {
  const rows = await findUrls(db, which, page);
  return page.with_total ? { rows, total: await countUrls(db, which) } : { rows };
}

/**
 * Ends a URL at once. Downloads under way go on.
 *
 * @throws DomainError `not_found`; `forbidden` unless the caller made it, is an admin, or owns
 *   something that it gives.
 */
export function revokeDownloadUrl(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const url = await lockUrl(tx, caller.tenant_id, id);
    if (!url) throw notFound('Download URL');
    const isMine = url.created_by === caller.user_id || caller.role === 'admin';
    if (!isMine) {
      const cogs = await reach(tx, caller, url.cog_ids);
      if (!cogs.some(({ access }) => access?.level === 'owner')) {
        throw forbidden('Only who made a download URL, or owns what it gives, may revoke it.');
      }
    }
    await removeUrl(tx, caller.tenant_id, id);
    await recordEvent(tx, caller, eventOf('download_url.revoked', url));
  });
}

/** Removes URLs whose time is over. @returns how many. */
export const forgetExpiredUrls = (db: Db, limit: number): Promise<number> =>
  removeExpired(db, limit);

/** What a URL gives, to be sent with the rights of its maker. */
export type Given = { maker: Caller; inline: boolean } & (
  | { file: StoredFile; version?: number }
  | { zip: { ids: readonly number[]; name: string } }
);

/** @throws DomainError 404 `unknownUrl`. */
export async function useDownloadUrl(db: Tag, token: string): Promise<Given> {
  const used = await findUsed(db, hashOf(token));
  if (!used) throw unknownUrl();
  const { tenant_id, created_by: user_id, role, inline, version } = used;
  const given = { maker: { user_id, tenant_id, role, is_platform_admin: false }, inline };
  if (used.is_selection) return { ...given, zip: { ids: used.cog_ids, name: 'files' } };
  if (used.id === undefined) throw unknownUrl();
  requireNeed(reachedBy(role, used), 'view');
  if (used.cog_type !== 'file') return { ...given, zip: { ids: [used.id], name: used.name } };
  return { ...given, file: used, ...(version === undefined ? {} : { version }) };
}

/** One answer for everything, so that nobody learns whether a URL ever worked. */
export const unknownUrl = () => new DomainError('not_found', 'This link is wrong or has ended.');

/** The same, if the maker may not see it any more. */
export function hideWhy(error: unknown): unknown {
  const isHidden =
    error instanceof DomainError && ['not_found', 'forbidden'].includes(error.problem);
  return isHidden ? unknownUrl() : error;
}
