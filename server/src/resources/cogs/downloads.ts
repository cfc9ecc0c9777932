/** What a file may be answered as. Its bytes and its declared type are anybody's; see `headersOf`. */
import { create as contentDisposition } from 'content-disposition';
import type { Caller } from '../../callers.ts';
import type { Tag } from '../../db/statement.ts';
import { invalid } from '../../errors.ts';
import { reachedBy, requireNeed } from '../permissions/access.ts';
import { findContent, type StoredFile } from './file-queries.ts';

/** The file's present content, for a caller who may see it. @throws DomainError 400 of a folder */
export async function fileToDownload(db: Tag, caller: Caller, id: number): Promise<StoredFile> {
  const found = await findContent(db, caller, id);
  requireNeed(found && reachedBy(caller.role, found), 'view');
  if (found?.cog_type !== 'file') {
    throw invalid('A folder cannot be downloaded. Download the files in it.');
  }
  return found;
}

/** What browsers show without running anything in it. Never SVG, HTML or XML. */
const inlineTypes =
  /^(image\/(png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/plain)$/;

/** What a browser might run when it opens it. */
const activeTypes = /html|xml|svg|script|xsl|multipart|x-mixed-replace/;

/**
 * Headers that keep an uploaded page from ever acting as one of ours: it is saved rather than
 * shown, its type is not guessed, and shown all the same it gets an origin of its own in which
 * nothing runs.
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
    // A copy may be kept by the client alone, and asked about before it is used again.
    'cache-control': 'private, no-cache',
  };
}
