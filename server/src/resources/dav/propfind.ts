/** PROPFIND: the properties of a resource, and of what is in it. */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import type { Pools } from '../../db/pools.ts';
import { DomainError, invalid } from '../../errors.ts';
import { readUsage } from '../../objects/quota.ts';
import { listCogs, listOutOfReach } from '../cogs/lists/lists.ts';
import type { Cog } from '../cogs/schema.ts';
import { addressOf } from './addresses.ts';
import { type Entry, isLive, isQuota, liveNames, liveValue } from './live-properties.ts';
import { findLocks, findLocksOn, type LockRow } from './lock-queries.ts';
import { findKept, type PropertyRow } from './property-queries.ts';
import {
  hasSharedFolder,
  isFolder,
  type Located,
  locate,
  type Resource,
  requireFound,
  sharedFolder,
  sharedName,
} from './resources.ts';
import {
  childNamed,
  type Element,
  elementsOf,
  escaped,
  isDav,
  type Name,
  written,
  xmlHead,
} from './xml.ts';

/** Which properties are asked for: these, or all names, with or without their values. */
export type Wanted = { names: readonly Name[] } | 'all' | 'names only';

/** @throws DomainError 400 */
export function wantedIn(body: Element | undefined): Wanted {
  if (!body) return 'all';
  if (!isDav(body, 'propfind')) throw invalid('The body must be a propfind.');
  if (childNamed(body, 'propname')) return 'names only';
  const prop = childNamed(body, 'prop');
  if (prop) return { names: elementsOf(prop) };
  // An `include` asks for what is told of all properties here anyway.
  if (childNamed(body, 'allprop')) return 'all';
  throw invalid('A propfind must ask for prop, allprop or propname.');
}

/** @throws DomainError 403 `propfind-finite-depth` for what has no bound. */
export function depthIn(header: string | undefined): 0 | 1 {
  if (header === '0' || header === '1') return Number(header) as 0 | 1;
  if (header !== undefined && header.toLowerCase() !== 'infinity') {
    throw invalid('The header Depth must be 0, 1 or infinity.');
  }
  throw new DomainError('forbidden', 'Ask folder by folder, with the header Depth: 1.', {
    code: 'propfind-finite-depth',
  });
}

/** Members per statement. */
const pageRows = 1000;

/** Written at once: a page with all its properties can be some hundred times as much. */
const partLength = 65_536;

type Parts = AsyncGenerator<string, void>;

/**
 * The answer in parts, before the first of which the resource itself and the first page of what is in
 * it are read; each page is a constant number of statements.
 *
 * @throws DomainError 404, with the first part.
 */
export async function* propertiesOf(
  { db, readDb }: Pick<Pools, 'db' | 'readDb'>,
  caller: Caller,
  names: readonly string[],
  depth: 0 | 1,
  wanted: Wanted,
): Parts {
  const located = await locate(db, caller, names, readDb);
  const found = requireFound(located);
  const above = await locksOver(db, caller, located, wanted);
  const usage = wantsQuota(wanted) ? await readUsage(db, caller.tenant_id) : undefined;
  const own = { resource: found, address: addressOf(names, isFolder(found)), locks: above, usage };
  let text = `${xmlHead}<D:multistatus xmlns:D="DAV:">`;
  for (const response of await responses(db, caller, [own], wanted)) text += response;
  if (depth === 1 && isFolder(found)) {
    const inherited = above.filter(({ lock }) => lock.is_deep);
    for await (const members of membersOf({ db, readDb }, caller, found)) {
      const entries = await entriesOf(db, caller, names, members, inherited, wanted);
      const all = entries.map((entry) => ({ ...entry, usage }));
      for (const response of await responses(db, caller, all, wanted)) {
        text += response;
        if (text.length < partLength) continue;
        yield text;
        text = '';
      }
    }
  }
  yield `${text}</D:multistatus>`;
}

type Member = { name: string; resource: Resource };

/** What is in a folder, by pages. */
async function* membersOf(
  pools: Pick<Pools, 'db' | 'readDb'>,
  caller: Caller,
  folder: Resource,
): AsyncGenerator<Member[]> {
  const isShared = folder === 'shared folder';
  const isRoot = !isShared && folder.cog_type === 'master_folder';
  const hidesName = isRoot && hasSharedFolder(caller);
  if (hidesName) yield [{ name: sharedFolder, resource: folder && 'shared folder' }];
  let last: Cog | undefined;
  for (;;) {
    const page = {
      offset: 0,
      limit: pageRows,
      with_total: false,
      ...(last ? { after: [last.name, last.id] } : {}),
    };
    const cogs = isShared
      ? await listOutOfReach(pools.db, caller, page)
      : (await listCogs(pools, caller, { parent_id: folder.id }, page)).rows.map(
          (text) => JSON.parse(text) as Cog,
        );
    const members: Member[] = [];
    for (const cog of cogs) {
      // What really has the name of the shared folder has no address.
      if (hidesName && cog.name === sharedFolder) continue;
      const name = isShared ? sharedName(cog, cog.name !== last?.name) : cog.name;
      members.push({ name, resource: cog });
      last = cog;
    }
    yield members;
    if (cogs.length < pageRows) return;
  }
}

const wants = (wanted: Wanted, which: (name: Name) => boolean) =>
  wanted === 'all' || (wanted !== 'names only' && wanted.names.some(which));

const wantsLocks = (wanted: Wanted) => wants(wanted, (name) => isDav(name, 'lockdiscovery'));

/** Not told of all properties: only by name. */
const wantsQuota = (wanted: Wanted) => typeof wanted !== 'string' && wanted.names.some(isQuota);

/** The locks that apply to the resource, each with the address of what it was taken on. */
async function locksOver(
  db: Db,
  { tenant_id }: Caller,
  { names, found, steps }: Located,
  wanted: Wanted,
): Promise<Entry['locks']> {
  if (!wantsLocks(wanted) || found === undefined || found === 'shared folder') return [];
  const locks = await findLocks(db, tenant_id, [found.id], []);
  return locks.map((lock) => {
    const levels = steps.length - 1 - steps.findIndex(({ id }) => id === lock.cog_id);
    // Of a folder that is hidden from the caller they are not told the address.
    const known = levels < steps.length ? names.slice(0, names.length - levels) : names;
    return { lock, root: addressOf(known, levels > 0 || isFolder(found)) };
  });
}

async function entriesOf(
  db: Db,
  { tenant_id }: Caller,
  names: readonly string[],
  members: readonly Member[],
  inherited: Entry['locks'],
  wanted: Wanted,
): Promise<Omit<Entry, 'kept'>[]> {
  const locks = wantsLocks(wanted) ? await findLocksOn(db, tenant_id, idsOf(members)) : [];
  const own = Map.groupBy<number, LockRow>(locks, ({ cog_id }) => cog_id);
  return members.map(({ name, resource }) => {
    const address = addressOf([...names, name], isFolder(resource));
    if (resource === 'shared folder') return { resource, address, locks: [] };
    const ownLocks = own.get(resource.id)?.map((lock) => ({ lock, root: address })) ?? [];
    return { resource, address, locks: [...inherited, ...ownLocks] };
  });
}

const idsOf = (entries: readonly { resource: Resource }[]) =>
  entries.flatMap(({ resource }) => (resource === 'shared folder' ? [] : resource.id));

/** One text for each entry, made as it is read. */
async function responses(
  db: Db,
  { tenant_id }: Caller,
  entries: readonly Omit<Entry, 'kept'>[],
  wanted: Wanted,
): Promise<Iterable<string>> {
  if (entries.length === 0) return [];
  const isKept = (name: Name) => !isLive(name) || isDav(name, 'getlastmodified');
  const ids = idsOf(entries);
  const wantsKept = wanted === 'names only' || wants(wanted, isKept);
  const kept = wantsKept ? await findKept(db, tenant_id, ids) : [];
  const keptOf = Map.groupBy(kept, ({ cog_id }) => cog_id);
  return each();

  function* each() {
    for (const entry of entries) {
      const { resource } = entry;
      const own = resource === 'shared folder' ? undefined : keptOf.get(resource.id);
      yield responseOf({ ...entry, kept: own ?? [] }, wanted);
    }
  }
}

function responseOf(entry: Entry, wanted: Wanted): string {
  const dead = entry.kept.flatMap(({ namespace, name, value, lang = '' }) =>
    namespace === undefined || name === undefined || value === undefined
      ? []
      : { namespace, name, value, lang },
  );
  const contentFor = (name: Name) => (isLive(name) ? live(name) : deadProperty(dead, name));
  const live = (name: Name) => {
    const value = liveValue(name, entry);
    return value === undefined ? undefined : { value, lang: '' };
  };
  const names = typeof wanted === 'string' ? [...liveNames, ...dead] : wanted.names;
  let there = '';
  let missing = '';
  for (const name of names) {
    const content = contentFor(name);
    if (content && wanted === 'names only') there += written(name, '');
    else if (content) there += written(name, content.value, content.lang);
    else if (typeof wanted !== 'string') missing += written(name, '');
  }
  const address = `<D:href>${escaped(entry.address)}</D:href>`;
  const found = there === '' && missing !== '' ? '' : propstat(there, '200 OK');
  const absent = missing === '' ? '' : propstat(missing, '404 Not Found');
  return `<D:response>${address}${found}${absent}</D:response>\n`;
}

const deadProperty = (dead: readonly Required<PropertyRow>[], { namespace, name }: Name) =>
  dead.find((row) => row.namespace === namespace && row.name === name);

/** Properties with one status. @param extra further elements about it. */
export const propstat = (properties: string, status: string, extra = ''): string =>
  `<D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 ${status}</D:status>${extra}</D:propstat>`;
