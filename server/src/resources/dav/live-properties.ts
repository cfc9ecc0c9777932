/** The properties that the server itself knows of a resource. */

import type { readUsage } from '../../objects/quota.ts';
import { tokenOf } from './conditions.ts';
import type { LockRow } from './lock-queries.ts';
import type { Kept } from './property-queries.ts';
import { isFolder, type Resource, sharedFolder } from './resources.ts';
import { modifiedAt } from './times.ts';
import { davNamespace, escaped, type Name } from './xml.ts';

type Usage = Awaited<ReturnType<typeof readUsage>>;

/** A resource with its address, the locks that apply to it, and what clients told of it. */
export type Entry = {
  resource: Resource;
  address: string;
  locks: readonly { lock: LockRow; root: string }[];
  kept: readonly Kept[];
  /** What the tenant stores, if it is asked for. */
  usage?: Usage | undefined;
};

const values: Record<string, (entry: Entry) => string | undefined> = {
  resourcetype: ({ resource }) => (isFolder(resource) ? '<D:collection/>' : ''),
  displayname: ({ resource }) =>
    escaped(resource === 'shared folder' ? sharedFolder : resource.name),
  creationdate: ({ resource }) => (resource === 'shared folder' ? undefined : resource.created_at),
  getlastmodified: ({ resource, kept }) =>
    resource === 'shared folder' ? undefined : new Date(modifiedAt(resource, kept)).toUTCString(),
  getcontentlength: ({ resource }) => ofFile(resource, 'size_bytes'),
  getcontenttype: ({ resource }) => ofFile(resource, 'mime_type'),
  getetag: ({ resource }) => {
    const checksum = ofFile(resource, 'checksum_sha256');
    return checksum === undefined ? undefined : `&quot;${checksum}&quot;`;
  },
  supportedlock: ({ resource }) =>
    resource === 'shared folder' ? undefined : lockEntry('exclusive') + lockEntry('shared'),
  lockdiscovery: ({ locks }) => locks.map(activeLock).join(''),
};

/** RFC 4331. They cost a statement, and are not told of all properties. */
const quotas: Record<string, (usage: Usage) => number | undefined> = {
  'quota-used-bytes': ({ used_bytes }) => used_bytes,
  'quota-available-bytes': ({ limit_bytes, used_bytes, reserved_bytes }) =>
    limit_bytes === undefined ? undefined : Math.max(0, limit_bytes - used_bytes - reserved_bytes),
};

function ofFile(resource: Resource, field: 'size_bytes' | 'mime_type' | 'checksum_sha256') {
  if (resource === 'shared folder') return undefined;
  const value = resource[field];
  return value === undefined ? undefined : escaped(String(value));
}

export const liveNames: readonly Name[] = Object.keys(values).map((name) => ({
  namespace: davNamespace,
  name,
}));

export const isQuota = ({ namespace, name }: Name): boolean =>
  namespace === davNamespace && Object.hasOwn(quotas, name);

export const isLive = (name: Name): boolean =>
  isQuota(name) || (name.namespace === davNamespace && Object.hasOwn(values, name.name));

/** The content of the property as XML; undefined if the resource has none. */
export function liveValue(property: Name, entry: Entry): string | undefined {
  if (!isQuota(property)) return values[property.name]?.(entry);
  const { resource, usage } = entry;
  return usage && isFolder(resource) ? quotas[property.name]?.(usage)?.toString() : undefined;
}

const lockEntry = (scope: LockRow['scope']) =>
  `<D:lockentry><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>`;

/** A lock as clients read it. @param root the address of what it was taken on. */
export const activeLock = ({ lock, root }: { lock: LockRow; root: string }): string =>
  [
    '<D:activelock>',
    '<D:locktype><D:write/></D:locktype>',
    `<D:lockscope><D:${lock.scope}/></D:lockscope>`,
    `<D:depth>${lock.is_deep ? 'infinity' : '0'}</D:depth>`,
    lock.owner === '' ? '' : `<D:owner>${lock.owner}</D:owner>`,
    `<D:timeout>Second-${lock.seconds_left}</D:timeout>`,
    `<D:locktoken><D:href>${tokenOf(lock)}</D:href></D:locktoken>`,
    `<D:lockroot><D:href>${escaped(root)}</D:href></D:lockroot>`,
    '</D:activelock>',
  ].join('');
