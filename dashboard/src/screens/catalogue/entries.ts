/** The definitions as a catalogue: one entry for each name, and how it is searched. Pure. */
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { isCalled, mediaWord, typeOfOutput } from './media-words.ts';

/** All versions of a definition, the newest first. */
export type Entry = {
  newest: NodeDefinition;
  versions: readonly NodeDefinition[];
};

/** The organization's own first, and by title. */
export function entriesOf(rows: readonly NodeDefinition[]): Entry[] {
  const groups = Map.groupBy(rows, ({ scope, name }) => `${scope} ${name}`);
  return [...groups.values()]
    .flatMap((group): Entry[] => {
      const versions = group.toSorted((a, b) => b.id - a.id);
      const [newest] = versions;
      return newest ? [{ newest, versions }] : [];
    })
    .toSorted(
      (a, b) =>
        Number(a.newest.scope === 'platform') - Number(b.newest.scope === 'platform') ||
        titleOf(a.newest).localeCompare(titleOf(b.newest)),
    );
}

export const titleOf = ({ title, name }: Pick<NodeDefinition, 'title' | 'name'>) => title || name;

/** Built-in steps have a part of a checksum behind their version, which tells a reader nothing. */
export const shortVersion = (version: string): string =>
  version.replace(/^(\d[\w.]*)-[0-9a-f]{8,}$/, '$1');

/** What a search asks for: words, and types after "takes" and "makes". */
export type Wanted = { words: string[]; takes: string[]; makes: string[] };

export function wantedOf(q: string): Wanted {
  const wanted: Wanted = { words: [], takes: [], makes: [] };
  let list: string[] | undefined;
  for (const word of q
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)) {
    if (word === 'takes' || word === 'makes') list = wanted[word];
    else if (list && word !== 'and' && word !== 'a') {
      list.push(word);
      list = undefined;
    } else if (!list && word !== 'and') wanted.words.push(word);
  }
  return wanted;
}

/** Those that a search finds; what takes a type expressly precedes what takes any file. */
export function found(entries: readonly Entry[], q: string): Entry[] {
  const { words, takes, makes } = wantedOf(q);
  return entries
    .map((entry) => {
      const { newest } = entry;
      const text =
        `${newest.name} ${newest.title} ${newest.description} ${newest.category}`.toLowerCase();
      const fits =
        words.every((word) => text.includes(word)) &&
        makes.every((word) => makesType(newest, word)) &&
        takes.every((word) => takesType(newest, word) || takesAnything(newest));
      const rank = takes.every((word) => takesType(newest, word)) ? 0 : 1;
      return { entry, fits, rank };
    })
    .filter(({ fits }) => fits)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}

const takesType = ({ inputs }: NodeDefinition, word: string) =>
  inputs.some(({ media_types = [] }) => media_types.some((type) => isCalled(type, word)));

const takesAnything = ({ inputs }: NodeDefinition) =>
  inputs.some(({ media_types = [] }) => media_types.length === 0 || media_types.includes('*/*'));

const makesType = ({ outputs }: NodeDefinition, word: string) =>
  outputs.some((port) => isCalled(typeOfOutput(port) ?? '', word));

/** "PDF, images" or "any file". */
export function takenWords({ inputs }: NodeDefinition): string {
  if (inputs.length === 0) return 'nothing';
  if (takesAnything({ inputs } as NodeDefinition)) return 'any file';
  return wordsOfTypes(inputs.flatMap(({ media_types = [] }) => media_types));
}

export function madeWords({ outputs }: NodeDefinition): string {
  if (outputs.length === 0) return 'nothing';
  return wordsOfTypes(outputs.flatMap((port) => typeOfOutput(port) ?? '*/*')).replace(
    'any file',
    'files',
  );
}

const mostTypes = 3;

function wordsOfTypes(types: readonly string[]): string {
  const words = [...new Set(types.map(mediaWord))];
  const more = words.length > mostTypes ? ' …' : '';
  return words.slice(0, mostTypes).join(', ') + more;
}

/** Searches by the types that most entries take, for a click. */
export function usualSearches(entries: readonly Entry[], most = 4): string[] {
  const counts = new Map<string, number>();
  for (const { newest } of entries) {
    const types = new Set(newest.inputs.flatMap(({ media_types = [] }) => media_types));
    for (const word of new Set([...types].filter((type) => type !== '*/*').map(mediaWord))) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts]
    .toSorted(([a, n], [b, m]) => m - n || a.localeCompare(b))
    .slice(0, most)
    .map(([word]) => `takes ${word.replace(/^any /, '')}`);
}
