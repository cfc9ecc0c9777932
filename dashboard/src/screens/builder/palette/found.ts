/** Searching the catalogue: by words, and by the files that a node takes or makes. */
import { mediaTypesOverlap } from '@cogworks/graph/assign';
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { shortType } from '../media-words.ts';

/** Of each definition the version that was registered last. */
export function latestOf(catalogue: readonly NodeDefinition[]): NodeDefinition[] {
  const latest = new Map<string, NodeDefinition>();
  for (const one of catalogue) {
    const key = `${one.scope} ${one.name}`;
    const other = latest.get(key);
    if (!other || other.id < one.id) latest.set(key, one);
  }
  return [...latest.values()].toSorted((a, b) => titleOf(a).localeCompare(titleOf(b)));
}

/** What a definition is called in lists. */
export const titleOf = ({ title, name }: NodeDefinition): string => title || name;

const typesIn = ({ inputs }: NodeDefinition) =>
  inputs.flatMap(({ media_types }) => media_types ?? []);
const typesOut = ({ outputs }: NodeDefinition) =>
  outputs.flatMap(({ media_type }) => media_type ?? []);

const isType = (types: readonly string[], word: string) =>
  types.some((type) => `${type} ${shortType(type)}`.toLowerCase().includes(word));

/** Words before a type in a search; a translation has its own, separated by spaces. */
const beforeTypes = {
  takes: t({ message: 'takes', comment: 'Words before a kind of files in a search' }).split(' '),
  makes: t({
    message: 'makes gives brings',
    comment: 'Words before a kind of files in a search',
  }).split(' '),
};

/** `takes pdf` and `makes png` ask for types; all other words are in the texts of a definition. */
export function findIn(catalogue: readonly NodeDefinition[], search: string): NodeDefinition[] {
  const { takes, makes, words } = wantedIn(search);
  return catalogue.filter((one) => {
    const texts = [one.title, one.name, one.description, one.category, ...typesIn(one)];
    const all = [...texts, ...typesOut(one)].join(' ').toLowerCase();
    return (
      takes.every((word) => isType(typesIn(one), word)) &&
      makes.every((word) => isType(typesOut(one), word)) &&
      words.every((word) => all.includes(word))
    );
  });
}

function wantedIn(search: string) {
  const wanted: Record<'takes' | 'makes' | 'words', string[]> = { takes: [], makes: [], words: [] };
  const typed = search.toLowerCase().split(/\s+/).filter(Boolean);
  for (let at = 0; at < typed.length; at++) {
    const [word = '', type] = typed.slice(at);
    const isTakes = beforeTypes.takes.includes(word);
    if (type === undefined || !(isTakes || beforeTypes.makes.includes(word))) {
      wanted.words.push(word);
    } else {
      wanted[isTakes ? 'takes' : 'makes'].push(type);
      at++;
    }
  }
  return wanted;
}

export type Fitting = { definition: NodeDefinition; port: string };

/**
 * Definitions that could follow files of these types, or come before a port that takes them; with
 * the port that fits. Those that name a type come before those that take anything.
 */
export function fittingOnes(
  catalogue: readonly NodeDefinition[],
  side: 'behind' | 'before',
  types: readonly string[] | undefined,
  uses: ReadonlyMap<number, number>,
): Fitting[] {
  const found = catalogue.flatMap((definition) => {
    const ports =
      side === 'behind'
        ? definition.inputs.map(({ name, media_types }) => ({ name, types: media_types ?? [] }))
        : definition.outputs.map(({ name, media_type }) => ({
            name,
            types: media_type ? [media_type] : [],
          }));
    const fitting = ports
      .filter((port) => mediaTypesOverlap(types, port.types))
      .map((port) => ({ name: port.name, closeness: closeness(types, port.types) }))
      .toSorted((a, b) => b.closeness - a.closeness);
    const [best] = fitting;
    return best ? [{ definition, port: best.name, closeness: best.closeness }] : [];
  });
  const used = ({ id }: NodeDefinition) => uses.get(id) ?? 0;
  return found.toSorted(
    (a, b) =>
      b.closeness - a.closeness ||
      used(b.definition) - used(a.definition) ||
      a.definition.title.localeCompare(b.definition.title),
  );
}

/** 2: the very type; 1: a family of types; 0: anything. */
function closeness(types: readonly string[] | undefined, others: readonly string[]): number {
  if (!others.length) return 0;
  if (types?.some((type) => others.includes(type))) return 2;
  return types?.length ? 1 : 0;
}
