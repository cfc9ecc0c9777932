/**
 * Names of files and folders as the file system of this machine can have them. Pure. Names come from
 * others, so none may lead out of the folder that it is for.
 */
import { nextName } from '@cogworks/sdk/next-name';

export type NameRules = {
  /** Whether names that Windows reserves are changed. */
  isWindows: boolean;
  /** Whether names that differ only in case are the same file. */
  ignoresCase: boolean;
};

/** What no file system takes as a part of a name, or takes as more than one name. */
const neverInNames = /[/\p{Cc}]/gu;
const neverOnWindows = /[<>:"\\|?*]|[. ]+$/g;
const reservedOnWindows = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/** The name with what cannot be in it replaced by "_". */
export function localName(name: string, { isWindows }: NameRules): string {
  const plain = name.toWellFormed().replace(neverInNames, '_');
  if (/^\.{0,2}$/.test(plain)) return '_';
  if (!isWindows) return plain;
  const allowed = plain.replace(neverOnWindows, (found) => '_'.repeat(found.length));
  return reservedOnWindows.test(allowed) ? `_${allowed}` : allowed;
}

/**
 * Gives the names of one folder their local ones, in the order asked. What would be the same file
 * gets a number.
 */
export function namesIn(rules: NameRules): (name: string) => string {
  const taken = new Set<string>();
  const key = (name: string) =>
    rules.ignoresCase ? name.normalize('NFD').toUpperCase().toLowerCase() : name;
  return (name) => {
    let local = localName(name, rules);
    while (taken.has(key(local))) local = nextName(local);
    taken.add(key(local));
    return local;
  };
}
