/** Locks of WebDAV clients (RFC 4918, sections 6 and 7): taken, refreshed, released. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Db } from '../../db/connection.ts';
import { conflict, DomainError, forbidden, invalid } from '../../errors.ts';
import type { Services } from '../../services.ts';
import type { openUploads } from '../cogs/files/uploads.ts';
import type { Cog } from '../cogs/schema.ts';
import { allows } from '../permissions/rules.ts';
import {
  type Client,
  locked,
  requireAllowed,
  requireConditions,
  singleToken,
  tokenOf,
} from './conditions.ts';
import {
  addLock,
  countLocksOf,
  extendLock,
  type FoundLock,
  findLocks,
  holdLocks,
  type LockRow,
  removeLock,
} from './lock-queries.ts';
import { fixed, type Located, locate, requireCog } from './resources.ts';
import { childNamed, contentOf, type Element, isDav } from './xml.ts';

/** Locks of one user at a time. */
const mostLocks = 1000;
const longestOwner = 8192;

/** A client that wants to keep a lock refreshes it; one that has gone blocks others no longer. */
const longestSeconds = 3600;

export type Wish = Pick<LockRow, 'scope' | 'is_deep' | 'owner' | 'seconds_left'>;

/** What a request for a new lock wants. @throws DomainError 400, 422 */
export function wishIn(
  body: Element,
  depth: string | undefined,
  timeout: string | undefined,
): Wish {
  const scopes = childNamed(body, 'lockscope');
  const isWrite = (type: Element | undefined) => type !== undefined && childNamed(type, 'write');
  if (!isDav(body, 'lockinfo') || !scopes || !isWrite(childNamed(body, 'locktype'))) {
    throw invalid('The body must be a lockinfo for a write lock.');
  }
  const shared = childNamed(scopes, 'shared') !== undefined;
  if (!shared && !childNamed(scopes, 'exclusive')) throw invalid('The scope is unknown.');
  if (depth !== undefined && depth !== '0' && depth.toLowerCase() !== 'infinity') {
    throw invalid('The depth of a lock must be 0 or infinity.');
  }
  const owner = childNamed(body, 'owner');
  const text = owner ? contentOf(owner) : '';
  if (text.length > longestOwner) throw invalid('The owner of the lock is too long.');
  return {
    scope: shared ? 'shared' : 'exclusive',
    is_deep: depth !== '0',
    owner: text,
    seconds_left: secondsIn(timeout),
  };
}

/** The first form that is understood counts; without one a lock lives as long as it may. */
export function secondsIn(timeout: string | undefined): number {
  for (const form of timeout?.split(',') ?? []) {
    const seconds = /^\s*Second-(\d{1,10})\s*$/i.exec(form)?.[1];
    if (seconds !== undefined) return Math.min(Math.max(1, Number(seconds)), longestSeconds);
  }
  return longestSeconds;
}

/** Takes locks, and makes an empty file where there is nothing to lock. */
export function openLocks({ db }: Services, uploads: ReturnType<typeof openUploads>) {
  /** @throws DomainError 423 `no-conflicting-lock`; `forbidden` without the right to change it. */
  return async (client: Client, names: readonly string[], wish: Wish) => {
    const { caller } = client;
    const before = await locate(db, caller, names);
    if (before.found) return takeLock(db, client, names, wish);

    const file = uploads.receive(caller);
    try {
      const parent_id = String(parentOf(before).id);
      await requireAllowed(db, client, before, [parentOf(before)]);
      await file.store(emptyFile(names.at(-1) ?? ''), { parent_id });
      return await takeLock(db, client, names, wish, (tx) => file.makeFile(tx, { parent_id }));
    } finally {
      await file.dropUnused();
    }
  };
}

const emptyFile = (name: string) => ({
  name,
  declared_type: 'application/octet-stream',
  expected_bytes: 0,
  bytes: Readable.from([]),
});

/** The folder in which something is created. @throws DomainError 409, 403 */
export function parentOf({ parent }: Located): Cog {
  if (parent === 'shared folder') throw fixed();
  if (parent === undefined || parent.cog_type === 'file') {
    throw conflict('parent_missing', 'The folder above does not exist: create it first.');
  }
  return parent;
}

function takeLock(
  db: Db,
  client: Client,
  names: readonly string[],
  wish: Wish,
  make?: (tx: Db) => Promise<Cog>,
): Promise<{ lock: LockRow; isNew: boolean }> {
  const { caller } = client;
  return db.transaction(async (tx) => {
    await holdLocks(tx, caller.tenant_id, 'lock');
    const located = await locate(tx, caller, names);
    await requireConditions(tx, client, located);
    const isNew = located.found === undefined;
    // The folder is checked again: somebody may have locked it while the file was stored.
    if (isNew) await requireAllowed(tx, client, located, [parentOf(located)]);
    const cog = isNew && make ? await make(tx) : requireCog(located);
    if (!allows(cog.access, 'edit')) throw forbidden('You may not change this item.');

    const is_deep = wish.is_deep && cog.cog_type !== 'file';
    const others = await findLocks(tx, caller.tenant_id, [cog.id], is_deep ? [cog.id] : []);
    if (others.some(({ scope }) => scope === 'exclusive' || wish.scope === 'exclusive')) {
      throw locked('no-conflicting-lock', 'A WebDAV client has locked this already.');
    }
    if ((await countLocksOf(tx, caller.tenant_id, caller.user_id)) >= mostLocks) {
      throw new DomainError(
        'too_many_requests',
        `You have ${mostLocks} locks: release some first.`,
      );
    }
    const { tenant_id, user_id } = caller;
    const lock = { ...wish, is_deep, cog_id: cog.id, token: randomUUID(), user_id };
    await addLock(tx, tenant_id, lock);
    return { lock, isNew };
  });
}

/** Gives the lock named in `If` new time. @throws DomainError 412 if it does not apply here. */
export function refreshLock(
  db: Db,
  client: Client,
  names: readonly string[],
  seconds: number,
): Promise<LockRow> {
  const { caller, conditions } = client;
  const token = singleToken(conditions);
  return db.transaction(async (tx) => {
    await holdLocks(tx, caller.tenant_id, 'lock');
    const lock = await findLock(tx, client, names, token);
    if (lock?.user_id !== caller.user_id) {
      throw new DomainError('precondition_failed', 'You have no such lock on this.', {
        code: 'lock-token-matches-request-uri',
      });
    }
    await extendLock(tx, caller.tenant_id, lock, seconds);
    return { ...lock, seconds_left: seconds };
  });
}

/**
 * Releases a lock: the own, or any that was taken on what the caller may delete.
 *
 * @throws DomainError 409 if no such lock applies here, `forbidden`
 */
export function releaseLock(
  db: Db,
  client: Client,
  names: readonly string[],
  token: string,
): Promise<void> {
  const { caller } = client;
  return db.transaction(async (tx) => {
    await holdLocks(tx, caller.tenant_id, 'lock');
    const lock = await findLock(tx, client, names, token);
    if (!lock) {
      throw conflict('lock-token-matches-request-uri', 'There is no such lock on this.');
    }
    if (lock.user_id !== caller.user_id && !lock.mayBreak) {
      throw forbidden('This lock belongs to somebody else.');
    }
    await removeLock(tx, caller.tenant_id, lock);
  });
}

async function findLock(
  tx: Db,
  { caller }: Client,
  names: readonly string[],
  token: string,
): Promise<(FoundLock & { mayBreak: boolean }) | undefined> {
  const located = await locate(tx, caller, names);
  const cog = requireCog(located);
  const locks = await findLocks(tx, caller.tenant_id, [cog.id], []);
  const lock = locks.find((one) => tokenOf(one) === token);
  // It may be of a folder above, of which the caller has fewer rights, or that is hidden from them.
  const taken = located.steps.find(({ id }) => id === lock?.cog_id);
  return lock && { ...lock, mayBreak: allows(taken?.access, 'delete') };
}
