/**
 * PROPPATCH: properties that clients set. They are kept for the clients, Explorer's file times among
 * them, and mean nothing to the server.
 */
import type { Db } from '../../db/connection.ts';
import { forbidden, invalid } from '../../errors.ts';
import { allows } from '../permissions/rules.ts';
import { addressOf } from './addresses.ts';
import { type Client, changing } from './conditions.ts';
import { isLive } from './live-properties.ts';
import { findProperties, holdProperties, setProperties } from './property-queries.ts';
import { propstat } from './propfind.ts';
import { isFolder, locate, requireCog } from './resources.ts';
import { keepTime, secondsOf } from './times.ts';
import {
  childNamed,
  contentOf,
  type Element,
  elementsOf,
  escaped,
  isDav,
  languageIn,
  type Name,
  written,
  xmlHead,
} from './xml.ts';

/** Without a value it removes the property. */
export type Change = Name & { value?: string; lang?: string };

const longest = { namespace: 400, name: 200, value: 4096, lang: 100 };
/** Of one file or folder. A list reads those of a thousand members at a time. */
const mostOfOne = { properties: 64, characters: 16_384 };

/** The changes in their order. @throws DomainError 400 */
export function changesIn(body: Element | undefined): Change[] {
  if (!body || !isDav(body, 'propertyupdate')) {
    throw invalid('The body must be a propertyupdate.');
  }
  const changes = elementsOf(body).flatMap((instruction) => {
    const isSet = isDav(instruction, 'set');
    const prop = childNamed(instruction, 'prop');
    if (!prop || !(isSet || isDav(instruction, 'remove'))) return [];
    return elementsOf(prop).map((property) => {
      const { namespace, name } = property;
      if (!isSet) return { namespace, name };
      const lang = languageIn([body, instruction, prop, property]);
      return { namespace, name, value: contentOf(property), ...(lang ? { lang } : {}) };
    });
  });
  if (changes.length === 0) throw invalid('A propertyupdate must set or remove a property.');
  return changes;
}

/** Makes all of the changes or none. @returns the multistatus that tells which. */
export function changeProperties(
  db: Db,
  client: Client,
  names: readonly string[],
  changes: readonly Change[],
): Promise<string> {
  const { caller } = client;
  return changing(db, client, async (tx, allow) => {
    const located = await locate(tx, caller, names);
    const cog = requireCog(located);
    if (!allows(cog.access, 'edit')) throw forbidden('You may not change this item.');
    await allow(located, [cog]);
    await holdProperties(tx, caller.tenant_id, cog.id);
    const before = await findProperties(tx, caller.tenant_id, [cog.id]);

    const last = new Map(changes.map((change) => [keyOf(change), change]));
    const kept = new Map<string, Change>(before.map((row) => [keyOf(row), row]));
    for (const [key, change] of last) {
      if (change.value === undefined) kept.delete(key);
      else kept.set(key, change);
    }
    const isFull = isTooMuch([...kept.values()]);
    const faults = changes.map((change) => faultOf(change, isFull));
    if (faults.every((fault) => fault === undefined)) {
      const own = [...last.values()].filter((change) => !isTime(change));
      await setProperties(tx, caller.tenant_id, cog.id, own);
      const time = [...last.values()].find(isTime);
      await keepTime(tx, caller.tenant_id, cog, secondsOf(time?.value));
    }
    return answer(addressOf(names, isFolder(cog)), changes, faults);
  });
}

const keyOf = ({ namespace, name }: Name) => JSON.stringify([namespace, name]);

type Fault = '403 Forbidden' | '409 Conflict' | '507 Insufficient Storage';

/** How rclone sets the time of a file: `lastmodified`, where PROPFIND tells `getlastmodified`. */
const isTime = (name: Name) => isDav(name, 'lastmodified');

/** What the server computes cannot be set, nor what is, or would be, too much. */
function faultOf(
  { namespace, name, value, lang = '' }: Change,
  isFull: boolean,
): Fault | undefined {
  if (isLive({ namespace, name })) return '403 Forbidden';
  if (isTime({ namespace, name })) {
    return secondsOf(value) === undefined ? '409 Conflict' : undefined;
  }
  // What is too much can still be removed.
  if (value === undefined) return undefined;
  const isTooLong =
    namespace.length > longest.namespace ||
    name.length > longest.name ||
    lang.length > longest.lang ||
    value.length > longest.value;
  return isTooLong || isFull ? '507 Insufficient Storage' : undefined;
}

const isTooMuch = (properties: readonly Change[]) =>
  properties.length > mostOfOne.properties ||
  properties.reduce((sum, { namespace, name, value = '', lang = '' }) => {
    return sum + namespace.length + name.length + value.length + lang.length;
  }, 0) > mostOfOne.characters;

function answer(
  address: string,
  changes: readonly Change[],
  faults: readonly (Fault | undefined)[],
): string {
  const isRefused = faults.some((fault) => fault !== undefined);
  const statuses = changes.map((change, at) => {
    const status = faults[at] ?? (isRefused ? '424 Failed Dependency' : '200 OK');
    return { change, status };
  });
  const groups = Map.groupBy(statuses, ({ status }) => status);
  const parts = [...groups].map(([status, group]) =>
    propstat(
      group.map(({ change }) => written(change, '')).join(''),
      status,
      status.startsWith('403') ? '<D:error><D:cannot-modify-protected-property/></D:error>' : '',
    ),
  );
  const href = `<D:href>${escaped(address)}</D:href>`;
  return `${xmlHead}<D:multistatus xmlns:D="DAV:"><D:response>${href}${parts.join('')}</D:response></D:multistatus>`;
}
