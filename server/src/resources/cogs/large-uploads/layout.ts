/** How a file is divided into parts. Pure. */

const mebibyte = 1024 ** 2;
export const leastChunk = 5 * mebibyte;
export const mostChunk = 5 * 1024 ** 3;
export const usualChunk = 64 * mebibyte;
export const mostParts = 10_000;
/** The largest object that S3-compatible stores generally take. */
export const mostFileBytes = 5 * 1024 ** 4;

export type Part = { part_number: number; size_bytes: number };
export type Layout = { file_size: number; chunk_size: number };

/** The wanted size of parts, raised so that there are not too many. */
export function chunkFor(file_size: number, wanted = usualChunk): number {
  const least = Math.ceil(file_size / mostParts / mebibyte) * mebibyte;
  return Math.max(wanted, least);
}

/**
 * Whether a file arrives by one PUT of the object itself. In a bucket none does: whoever had another
 * URL of the object could replace its bytes after they were checked. The parts of one upload are put
 * together once, and its URLs are void from then on.
 */
export const isWhole = (
  { is_remote }: { is_remote: boolean },
  { file_size, chunk_size }: Layout,
): boolean => !is_remote && file_size <= chunk_size;

export const partCount = ({ file_size, chunk_size }: Layout): number =>
  Math.max(1, Math.ceil(file_size / chunk_size));

/** One part. All are of `chunk_size`, except the last one. */
export function partOf({ file_size, chunk_size }: Layout, part_number: number): Part {
  const before = (part_number - 1) * chunk_size;
  return { part_number, size_bytes: Math.min(chunk_size, file_size - before) };
}

export const partsOf = (layout: Layout): Part[] =>
  Array.from({ length: partCount(layout) }, (_, at) => partOf(layout, at + 1));
