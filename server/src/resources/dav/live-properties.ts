/** The properties that the server itself knows of a resource. */

import { tokenOf } from './conditions.ts';
import type { LockRow } from './lock-queries.ts';
import type { Kept } from './property-queries.ts';
import { isFolder, type Resource, sharedFolder } from './resources.ts';
import { modifiedAt } from './times.ts';
import { davNamespace, escaped, type Name } from './xml.ts';

/** A resource with its address, the locks that apply to it, and what clients told of it. */
export type Entry = {
  resource: Resource;
  address: string;
  locks: readonly { lock: LockRow; root: string }[];
  kept: readonly Kept[];
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

function ofFile(resource: Resource, field: 'size_bytes' | 'mime_type' | 'checksum_sha256') {
  if (resource === 'shared folder') return undefined;
  const value = resource[field];
  return value === undefined ? undefined : escaped(String(value));
}

export const liveNames: readonly Name[] = Object.keys(values).map((name) => ({
  namespace: davNamespace,
  name,
}));

export const isLive = ({ namespace, name }: Name): boolean =>
  namespace === davNamespace && Object.hasOwn(values, name);

/** The content of the property as XML; undefined if the resource has none. */
export const liveValue = ({ name }: Name, entry: Entry): string | undefined =>
  values[name]?.(entry);

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
