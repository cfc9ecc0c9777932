/** Which of what the palette knows fits to what was typed, in which order. Pure. */

export type Known = { label: string; words?: string | undefined };

/**
 * Those in which every word is found, in any order; whose label begins with the text first, then
 * those with a word that begins so.
 */
export function matching<Row extends Known>(
  rows: readonly Row[],
  text: string,
  most: number,
): Row[] {
  const wanted = wordsIn(text);
  if (wanted.length === 0) return [];
  const ranked = rows.flatMap((row) => {
    const label = row.label.toLowerCase();
    const all = `${label} ${row.words?.toLowerCase() ?? ''}`;
    if (!wanted.every((word) => all.includes(word))) return [];
    return { row, rank: rankOf(label, wanted) };
  });
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ row }) => row);
}

const wordsIn = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);

function rankOf(label: string, wanted: readonly string[]): number {
  const [first = ''] = wanted;
  if (label.startsWith(first)) return 0;
  return wordsIn(label).some((word) => word.startsWith(first)) ? 1 : 2;
}

/** The id of a run that is meant by `12`, `#12` or `run 12`. */
export function runIn(text: string): number | undefined {
  const [, digits] = /^(?:run\s*)?#?\s*([1-9]\d{0,14})$/i.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The number of a version that is meant by `scans v2` or `scans version 2`, and the rest. */
export function versionIn(text: string): { rest: string; number: number | undefined } {
  const [all = '', digits] = /\s+v(?:ersion)?\s*(\d{1,9})?$/i.exec(text) ?? [];
  return {
    rest: text.slice(0, text.length - all.length),
    number: digits === undefined ? undefined : Number(digits),
  };
}
