/**
 * The names of a ZIP's members. A stored name may hold whatever Unix allows; another system would read
 * some of that as a path.
 */

/** The name without what Windows takes for a separator, a drive or a folder above. */
export function memberName(name: string): string {
  const flat = name.replaceAll('\\', '_').replace(/^([a-z]):/i, '$1_');
  // Windows drops dots and spaces at the end: `.. ` would be `..`.
  return /^[. ]+$/.test(flat) ? flat.replaceAll('.', '_') : flat;
}

/**
 * Gives a name to each member of one folder. Names that differ only in case get numbers too, because
 * on Windows and macOS the second file would replace the first.
 *
 * @param numbered the name with a number.
 */
export function freeNames(numbered: (name: string, number: number) => string) {
  const taken = new Set<string>();
  // By the first name with a number, which long names share that are shortened for it. Thousands of
  // names that differ only in case would otherwise try thousands of numbers each, which took seconds.
  const nextNumber = new Map<string, number>();
  return (name: string): string => {
    let free = name;
    if (taken.has(folded(name))) {
      const series = folded(numbered(name, 2));
      let number = nextNumber.get(series) ?? 2;
      do {
        free = numbered(name, number);
        number += 1;
      } while (taken.has(folded(free)));
      nextNumber.set(series, number);
    }
    taken.add(folded(free));
    return free;
  };
}

/** The same for names that a file system without cases takes for one. */
const folded = (name: string) => name.toUpperCase().toLowerCase().normalize('NFC');
