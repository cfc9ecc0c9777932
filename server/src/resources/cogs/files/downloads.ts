/**
 * Response headers of file contents. Users control the bytes and the declared type; see
 * `headersOf`.
 */
import { create as contentDisposition } from 'content-disposition';
import type { Caller } from '../../../callers.ts';
import type { Tag } from '../../../db/statement.ts';
import { reachedBy, requireNeed } from '../../permissions/access.ts';
import { findContent, type StoredFile, type StoredFolder } from './queries.ts';

/** A file with its current content, or a folder, if the caller may see it. */
export async function cogToDownload(
  db: Tag,
  caller: Caller,
  id: number,
): Promise<StoredFile | StoredFolder> {
  const found = await findContent(db, caller, id);
  requireNeed(found && reachedBy(caller.role, found), 'view');
  if (!found) throw new Error('A cog that was found is missing.');
  return found;
}

/** Types that browsers display without running any code. Never SVG, HTML or XML. */
const inlineTypes =
  /^(image\/(png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/plain)$/;

/** Types that may run code when a browser opens them. */
const activeTypes = /html|xml|svg|script|xsl|multipart|x-mixed-replace/i;

/**
 * Headers that prevent an uploaded page from acting as one of ours: it is downloaded instead of
 * displayed, its type is not sniffed, and if it is displayed after all, it gets its own origin in
 * which nothing runs.
 */
export function headersOf(
  { name, mime_type }: Pick<StoredFile, 'name' | 'mime_type'>,
  inline: boolean,
): Record<string, string> {
  const type = inline && inlineTypes.test(mime_type) ? 'inline' : 'attachment';
  const shown = mime_type === 'text/plain' ? 'text/plain; charset=utf-8' : mime_type;
  return {
    'content-type': activeTypes.test(mime_type) ? 'application/octet-stream' : shown,
    'content-disposition': contentDisposition(name, { type }),
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
    'referrer-policy': 'no-referrer',
    // Only the client may cache it, and must revalidate before each use.
    'cache-control': 'private, no-cache',
  };
}
