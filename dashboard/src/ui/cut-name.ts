/** Where a long name is cut, so that its end stays visible: names in one folder often begin alike. */

/** Up to here a name is not cut in two: it fits nearly everywhere. */
const short = 16;
/** How many characters stay visible before the extension, or of a name without one. */
const beforeExtension = 5;
const without = 8;
/** A longer extension is none, but the last words of a name with dots. */
const longestExtension = 9;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** @returns the part that is shortened, and the end that is not; empty for a short name. */
export function cutName(name: string): [start: string, end: string] {
  if (name.length <= short) return [name, ''];
  const dot = name.lastIndexOf('.');
  const hasExtension = dot > 0 && name.length - dot <= longestExtension;
  const wanted = hasExtension ? dot - beforeExtension : name.length - without;
  // Of what users see as one character, nothing is torn apart.
  const index = segmenter.segment(name).containing(wanted)?.index ?? wanted;
  return [name.slice(0, index), name.slice(index)];
}
