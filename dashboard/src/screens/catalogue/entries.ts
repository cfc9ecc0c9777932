/** The definitions as a catalogue: one entry for each name, and how it is searched. Pure. */
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { isCalled, mediaWord, searchWord, typeOfOutput } from './media-words.ts';

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

/** What precedes a type in a search. */
const asks = {
  takes: t({ message: 'takes', comment: 'In a search of steps, such as “takes pdf makes text”' }),
  makes: t({ message: 'makes', comment: 'In a search of steps, such as “takes pdf makes text”' }),
};

const skipped: ReadonlySet<string> = new Set(
  t({
    message: 'and a',
    comment: 'Words without a meaning in a search, such as “takes a pdf and makes text”',
  }).split(' '),
);

/** What a search asks for: words, and types after "takes" and "makes". */
export type Wanted = { words: string[]; takes: string[]; makes: string[] };

export function wantedOf(q: string): Wanted {
  const wanted: Wanted = { words: [], takes: [], makes: [] };
  let list: string[] | undefined;
  for (const word of q
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)) {
    if (word === asks.takes) list = wanted.takes;
    else if (word === asks.makes) list = wanted.makes;
    else if (!skipped.has(word)) {
      (list ?? wanted.words).push(word);
      list = undefined;
    }
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
  if (inputs.length === 0) return t`nothing`;
  if (takesAnything({ inputs } as NodeDefinition)) return t`any file`;
  return listed(inputs.flatMap(({ media_types = [] }) => media_types.map(mediaWord)));
}

export function madeWords({ outputs }: NodeDefinition): string {
  if (outputs.length === 0) return t`nothing`;
  const types = outputs.map((port) => typeOfOutput(port) ?? '*/*');
  return listed(types.map((type) => (type === '*/*' ? t`files` : mediaWord(type))));
}

const mostTypes = 3;

function listed(all: readonly string[]): string {
  const words = [...new Set(all)];
  const more = words.length > mostTypes ? ' …' : '';
  return words.slice(0, mostTypes).join(', ') + more;
}

/** Searches by the types that most entries take, for a click. */
export function usualSearches(entries: readonly Entry[], most = 4): string[] {
  const counts = new Map<string, number>();
  for (const { newest } of entries) {
    const types = new Set(newest.inputs.flatMap(({ media_types = [] }) => media_types));
    for (const word of new Set([...types].filter((type) => type !== '*/*').map(searchWord))) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts]
    .toSorted(([a, n], [b, m]) => m - n || a.localeCompare(b))
    .slice(0, most)
    .map(([word]) => `${asks.takes} ${word}`);
}
