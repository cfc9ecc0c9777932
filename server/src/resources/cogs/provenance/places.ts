/** What a caller learns about files that runs recorded: these may be moved, deleted or gone. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { reachedBy } from '../../permissions/access.ts';
import { allows } from '../../permissions/rules.ts';
import { findPlaces, type PlaceRow } from './place-queries.ts';

export type Places = ReadonlyMap<number, PlaceRow>;

/** Where these files are now; those that were removed for ever are left out. */
export async function placesOf(db: Db, caller: Caller, ids: readonly number[]): Promise<Places> {
  if (ids.length === 0) return new Map();
  const rows = await findPlaces(db, caller, [...new Set(ids)]);
  return new Map(rows.flatMap((row) => (row.is_removed ? [] : [[row.id, row] as const])));
}

type State = 'available' | 'in_trash' | 'removed' | 'hidden';

/** @param mayNameRemoved no rights are left of a file that was removed for ever. */
export function stateOf(
  caller: Caller,
  place: PlaceRow | undefined,
  mayNameRemoved: boolean,
): State {
  if (!place) return mayNameRemoved ? 'removed' : 'hidden';
  if (place.is_alive) {
    return allows(reachedBy(caller.role, place).access, 'view') ? 'available' : 'hidden';
  }
  return caller.role === 'admin' || place.is_in_own_trash ? 'in_trash' : 'hidden';
}

type Recorded = {
  cog_id: number;
  name: string;
  media_type: string;
  size_bytes: number;
  checksum_sha256: string;
};

/** A file of a run as the caller may know it; undefined besides its state if they may not. */
export function shownFile(
  caller: Caller,
  run: { started_by: number },
  { cog_id, name, media_type, size_bytes, checksum_sha256 }: Recorded,
  places: Places,
) {
  const place = places.get(cog_id);
  const state = stateOf(caller, place, caller.role === 'admin' || isStarter(caller, run));
  if (state === 'hidden') return { state };
  const isRenamed = state === 'available' && place !== undefined && place.name !== name;
  return {
    ...{ state, cog_id, name, media_type, size_bytes, checksum_sha256 },
    ...(isRenamed && { current_name: place.name }),
  };
}

const isStarter = ({ user_id }: Caller, { started_by }: { started_by: number }) =>
  user_id === started_by;

/** How many of the files the caller may not see. */
export const hiddenIn = (files: readonly { state: State }[]): number =>
  files.filter(({ state }) => state === 'hidden').length;
