/**
 * What previews can be made of, by the first bytes, whatever a client declared; and how large they
 * are.
 */

export type Kind = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif' | 'pdf';

/** How many bytes `kindOf` looks at. */
export const kindBytes = 32;

const signatures: readonly [Kind, RegExp][] = [
  ['jpeg', /^\xff\xd8\xff/],
  ['png', /^\x89PNG\r\n/],
  ['webp', /^RIFF[\s\S]{4}WEBP/],
  ['gif', /^GIF8[79]a/],
  ['tiff', /^(II\*\0|MM\0\*)/],
  ['avif', /^[\s\S]{4}ftyp(avif|avis|[\s\S]{8,20}avif)/],
  ['pdf', /^%PDF-/],
];

/** @returns undefined for all else: there is no preview of SVG, which may refer to other files. */
export function kindOf(begin: Buffer): Kind | undefined {
  const text = begin.toString('latin1');
  return signatures.find(([, signature]) => signature.test(text))?.[0];
}

/**
 * The most bytes of a preview with sides of at most this many pixels: half a byte for each. There
 * are two sizes, so previews add 544 KiB at most to what is stored.
 */
export const mostPreviewBytes = (size: number): number => (size * size) / 2;
