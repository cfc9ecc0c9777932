/**
 * What a change has to respect: the locks of WebDAV clients, and the conditions that the request
 * names in its header `If`. Locks bind WebDAV clients only; the API does not know them.
 */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';
import type { How } from '../../db/transaction.ts';
import { DomainError, invalid } from '../../errors.ts';
import { type ConditionList, holds, readIf, type State, tokensIn, urlsIn } from './if-header.ts';
import { type FoundLock, findLocks, holdLocks, type LockRow } from './lock-queries.ts';
import { type Located, locate } from './resources.ts';
import { findTimes } from './time-queries.ts';
import { modifiedAt } from './times.ts';

/** Who wants to change something, and under which conditions. */
export type Client = {
  caller: Caller;
  /** The lists of the header `If`; empty without one. */
  conditions: readonly ConditionList[];
  matches: Matches;
  /** The names in a URL of that header; undefined for one of another server. */
  namesInUrl: (url: string) => readonly string[] | undefined;
};

/** The headers of RFC 9110, section 13.1, that forbid a change. */
export type Matches = {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  ifUnmodifiedSince: string | undefined;
};

export const conditionsOf = (header: string | undefined): ConditionList[] =>
  header === undefined ? [] : readIf(header);

/** A cog that a request changes. `deep`: also all below it. */
export type Target = { id: number; deep?: boolean };

/** A change; `allow` refuses it if it changes more than it may. */
export type Changing<Result> = (
  tx: Db,
  allow: (located: Located, targets: readonly Target[]) => Promise<void>,
) => Promise<Result>;

/**
 * Begins a change of what these targets, known only inside the transaction, name.
 *
 * @throws DomainError 412 if no list of conditions holds; 423 for a lock whose token was not given.
 */
export function changing<Result>(
  db: Db,
  client: Client,
  work: Changing<Result>,
  how: Pick<How, 'isRepeatable'> = {},
): Promise<Result> {
  return db.transaction(async (tx) => {
    // Statements of one connection run in their order: all others read after the lock is held.
    const held = holdLocks(tx, client.caller.tenant_id, 'change').send();
    const allow = (located: Located, targets: readonly Target[]) =>
      requireAllowed(tx, client, located, targets);
    const [, result] = await Promise.all([held, work(tx, allow)]);
    return result;
  }, how);
}

/** The same check without a transaction, for an early refusal. */
export async function requireAllowed(
  db: Db,
  client: Client,
  located: Located,
  targets: readonly Target[],
): Promise<void> {
  await requireConditions(db, client, located);
  const { tenant_id, user_id } = client.caller;
  const ids = targets.map(({ id }) => id);
  const deep = targets.flatMap((target) => (target.deep ? target.id : []));
  const locks = await findLocks(db, tenant_id, ids, deep);
  const own = tokensIn(client.conditions);
  if (isBlocked(locks, (lock) => lock.user_id === user_id && own.includes(tokenOf(lock)))) {
    throw locked('lock-token-submitted', 'This is locked by a WebDAV client.');
  }
}

/**
 * Whether a resource is locked without that one of its locks is held. Pure.
 *
 * @param locks by the resource that they protect: a target, or what is locked below one.
 */
export function isBlocked(
  locks: readonly FoundLock[],
  isHeld: (lock: FoundLock) => boolean,
): boolean {
  const held = new Map<string, boolean>();
  for (const lock of locks) {
    const resource = lock.is_below ? `below ${lock.cog_id}` : `target ${lock.target_id}`;
    held.set(resource, (held.get(resource) ?? false) || isHeld(lock));
  }
  return [...held.values()].includes(false);
}

/** @throws DomainError 412 unless all conditions of the request hold. */
export async function requireConditions(db: Db, client: Client, located: Located): Promise<void> {
  const { caller, conditions, matches, namesInUrl } = client;
  await requireMatches(db, caller, located, matches);
  if (conditions.length === 0) return;
  const places = new Map<string | undefined, Located>([[undefined, located]]);
  for (const url of urlsIn(conditions)) {
    const names = namesInUrl(url);
    if (names) places.set(url, await locate(db, caller, names));
  }
  const ids = [...places.values()].flatMap((place) => lockedId(place) ?? []);
  const locks = await findLocks(db, caller.tenant_id, ids, []);
  const stateOf = (url: string | undefined): State => {
    const place = places.get(url);
    const id = place && lockedId(place);
    return {
      tokens: locks.flatMap((lock) => (lock.target_id === id ? tokenOf(lock) : [])),
      etag: place && etagOf(place),
    };
  };
  if (!holds(conditions, stateOf)) {
    throw new DomainError('precondition_failed', 'The conditions of the header If do not hold.');
  }
}

/** What decides about locks of an address: what is there, or else the folder it would be in. */
function lockedId({ found, parent }: Located): number | undefined {
  const resource = found ?? parent;
  return resource === undefined || resource === 'shared folder' ? undefined : resource.id;
}

const etagOf = ({ found }: Pick<Located, 'found'>) =>
  found === undefined || found === 'shared folder' || found.checksum_sha256 === undefined
    ? undefined
    : `"${found.checksum_sha256}"`;

/** Lock tokens are URIs (RFC 4918, section 6.5). */
export const tokenOf = ({ token }: Pick<LockRow, 'token'>): string => `urn:uuid:${token}`;

export const locked = (code: string, message: string) =>
  new DomainError('locked', message, { code });

/**
 * The conditions of RFC 9110 on what is at the address, in the order of its section 13.2.2.
 *
 * @throws DomainError 412
 */
export async function requireMatches(
  db: Tag,
  { tenant_id }: Caller,
  { found }: Pick<Located, 'found'>,
  { ifMatch, ifNoneMatch, ifUnmodifiedSince }: Matches,
): Promise<void> {
  const etag = etagOf({ found });
  const isAmong = (tags: readonly string[]) =>
    found !== undefined && tags.some((tag) => tag === '*' || tag === etag);
  if (ifMatch !== undefined) {
    if (!isAmong(tagsIn(ifMatch))) throw changedMeanwhile();
  } else if (ifUnmodifiedSince !== undefined && found !== undefined && found !== 'shared folder') {
    const times = await findTimes(db, tenant_id, [found.id]);
    // Told in whole seconds. What is no date compares as false, and is ignored.
    const told = Math.floor(Date.parse(modifiedAt(found, times)) / 1000) * 1000;
    if (told > Date.parse(ifUnmodifiedSince)) throw changedMeanwhile();
  }
  if (ifNoneMatch === undefined) return;
  // Compared weakly.
  if (isAmong(tagsIn(ifNoneMatch).map((tag) => tag.replace(/^W\//, '')))) {
    throw new DomainError('precondition_failed', 'There is already something at this address.');
  }
}

const tagsIn = (header: string) => header.split(',').map((tag) => tag.trim());

const changedMeanwhile = () =>
  new DomainError('precondition_failed', 'The content has changed since you read it.');

/** @throws DomainError 400 */
export function singleToken(conditions: readonly ConditionList[]): string {
  const [token, ...others] = tokensIn(conditions);
  if (token === undefined || others.length > 0) {
    throw invalid('To refresh a lock, name its token in the header If.');
  }
  return token;
}
