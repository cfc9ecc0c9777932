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
  return (name: string): string => {
    let free = name;
    for (let number = 2; taken.has(folded(free)); number += 1) free = numbered(name, number);
    taken.add(folded(free));
    return free;
  };
}

/** The same for names that a file system without cases takes for one. */
const folded = (name: string) => name.toUpperCase().toLowerCase().normalize('NFC');
