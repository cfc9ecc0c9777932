/** Which templates a gallery shows, in which order. Pure. */

type Listed = { name: string; description: string; category: string; scope: string };
export type GalleryFilter = { q?: string | undefined; category?: string | undefined };

/** The categories that there are, by name; templates without one are in none. */
export const categoriesOf = (rows: readonly Listed[]): string[] =>
  [...new Set(rows.map(({ category }) => category).filter((name) => name !== ''))].toSorted(
    (a, b) => a.localeCompare(b),
  );

/** The organization's own first, and by name. */
export function shownOf<Row extends Listed>(
  rows: readonly Row[],
  { q = '', category }: GalleryFilter,
): Row[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return rows
    .filter((row) => category === undefined || row.category === category)
    .filter((row) => {
      const text = `${row.name} ${row.description} ${row.category}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .toSorted(
      (a, b) =>
        Number(a.scope === 'platform') - Number(b.scope === 'platform') ||
        a.name.localeCompare(b.name),
    );
}
