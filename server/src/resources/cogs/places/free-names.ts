/** The names that copied and restored cogs get where theirs are taken. */
import type { Db } from '../../../db/connection.ts';
import { attempt, type Decided } from '../../../decided.ts';
import { nameCollision } from '../../../errors.ts';
import { findFreeNames } from '../queries.ts';
import { type Numbering, numberingOf } from './names.ts';
import { findFreeNumbers } from './queries.ts';

/**
 * What becomes of a copy whose name is taken: it is refused, or gets the next free number; or the
 * caller has removed, or will remove, what has the name.
 */
export type WhenTaken = 'refuse' | 'number' | 'replace';

/** A name that something is to have in a folder. */
export type Naming = { folder_id: number; name: string };

/**
 * The name of each, in their order; earlier ones come first. The folder is locked, or the unique
 * index decides.
 */
export async function freeNamesFor(
  tx: Db,
  tenantId: number,
  folder_id: number,
  names: readonly string[],
  whenTaken: WhenTaken,
): Promise<Decided<string>[]> {
  const free = new Set(await findFreeNames(tx, tenantId, folder_id, [...new Set(names)]));
  const wanted = names.map((name) => ({ folder_id, name, isTaken: !free.has(name) }));
  const numbered = whenTaken === 'number' ? await numberedNames(tx, tenantId, wanted) : new Map();
  const given = new Set<string>();
  return wanted.map((one) =>
    attempt(() => {
      const name = nameFor(one, numbered, (candidate) => given.has(candidate));
      given.add(name);
      return name;
    }),
  );
}

/** Free numbered names by `placeOfName`. */
export type Numbered = ReadonlyMap<string, readonly string[]>;

/**
 * @param isGiven whether one before it gets that name.
 * @throws DomainError `name_collision` if it has none.
 */
export function nameFor(
  { isTaken, ...naming }: Naming & { isTaken: boolean },
  numbered: Numbered,
  isGiven: (name: string) => boolean,
): string {
  const others = numbered.get(placeOfName(naming)) ?? [];
  const candidates = [...(isTaken ? [] : [naming.name]), ...others];
  const name = candidates.find((candidate) => !isGiven(candidate));
  if (name === undefined) throw nameCollision(naming.name);
  return name;
}

export const placeOfName = ({ folder_id, name }: Naming) => `${folder_id}/${name}`;

/** Free numbered names for those that are taken, or wanted by several. */
export async function numberedNames(
  tx: Db,
  tenantId: number,
  names: readonly (Naming & { isTaken: boolean })[],
): Promise<Numbered> {
  const all = names.map((one) => ({ ...one, ...numberingOf(one.name) }));
  const families = Map.groupBy(all, familyOf);
  const wanted = new Map<string, Numbering & Naming & { count: number }>();
  const seen = new Set<string>();
  for (const one of all) {
    const place = placeOfName(one);
    // The others of its family may have been given as many of the names.
    const count = families.get(familyOf(one))?.length ?? 1;
    if (one.isTaken || seen.has(place)) wanted.set(place, { ...one, count });
    seen.add(place);
  }
  if (wanted.size === 0) return new Map();
  const asked = [...wanted.values()];
  const byPlace = Map.groupBy(await findFreeNumbers(tx, tenantId, asked), ({ place }) => place);
  return new Map(
    asked.map((one, at) => [placeOfName(one), (byPlace.get(at + 1) ?? []).map((row) => row.name)]),
  );
}

const familyOf = ({ folder_id, head, tail }: Naming & Numbering) => `${folder_id}/${head}/${tail}`;
