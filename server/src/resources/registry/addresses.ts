/** The addresses of the registry, as the distribution specification has them. Pure. */
import {
  digestInvalid,
  manifestUnknown,
  nameInvalid,
  unknownName,
  unknownUpload,
} from './faults.ts';

/** What is after `/v2/`. */
export type Address =
  | { of: 'registry' }
  | { of: 'catalog' }
  | { of: 'tags'; repository: string }
  | { of: 'blob'; repository: string; digest: string }
  | { of: 'uploads'; repository: string }
  | { of: 'upload'; repository: string; id: string }
  | { of: 'manifest'; repository: string; reference: string }
  | { of: 'referrers'; repository: string; digest: string };

/** Names of images are longer by the host (image-reference.ts). */
const mostOfName = 200;

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const nameShape = new RegExp(`^${component}(?:/${component})*$`);
const digestShape = /^sha256:[0-9a-f]{64}$/;
const tagShape = /^\w[\w.-]{0,127}$/;
const uploadShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The first part of the names of a tenant's repositories. An id, because names of tenants change. */
export const namespaceOf = (tenantId: number): string => `t${tenantId}`;

/** The namespace of images that the installation makes: all tenants pull them, nobody pushes. */
const platformNamespace = 'platform';

export const platformRepository = (name: string): string => `${platformNamespace}/${name}`;

/** The name of an image of the platform; undefined for a tenant's repository. */
export const platformImageIn = (repository: string): string | undefined =>
  repository.startsWith(`${platformNamespace}/`)
    ? repository.slice(platformNamespace.length + 1)
    : undefined;

export const isDigest = (text: string): boolean => digestShape.test(text);

/**
 * @param path of the URL, without the query, and decodable.
 * @returns undefined if there is nothing at such an address.
 * @throws DomainError for another tenant's name as for one that nobody has.
 */
export function addressOf(path: string, tenantId: number): Address | undefined {
  const rest = decodeURIComponent(path).replace(/^\/v2\/?/, '');
  if (rest === '') return { of: 'registry' };
  if (rest === '_catalog') return { of: 'catalog' };
  const parts = rest.replace(/\/$/, '').split('/');
  const at = (from: number) => checkedName(parts.slice(0, from).join('/'), tenantId);
  const [third, kind, last = ''] = [parts.at(-3), parts.at(-2), parts.at(-1)];
  if (kind === 'tags' && last === 'list') return { of: 'tags', repository: at(-2) };
  if (kind === 'blobs' && last === 'uploads') return { of: 'uploads', repository: at(-2) };
  if (kind === 'blobs') return { of: 'blob', repository: at(-2), digest: checkedDigest(last) };
  if (kind === 'referrers') {
    return { of: 'referrers', repository: at(-2), digest: checkedDigest(last) };
  }
  if (kind === 'manifests') {
    return { of: 'manifest', repository: at(-2), reference: checkedReference(last) };
  }
  if (third === 'blobs' && kind === 'uploads') {
    const repository = at(-3);
    if (!uploadShape.test(last)) throw unknownUpload();
    return { of: 'upload', repository, id: last };
  }
  return undefined;
}

function checkedReference(text: string): string {
  if (isDigest(text) || tagShape.test(text)) return text;
  throw text.includes(':') ? digestInvalid(text) : manifestUnknown();
}

/** @throws DomainError `DIGEST_INVALID` */
export function checkedDigest(text: string): string {
  if (!isDigest(text)) throw digestInvalid(text);
  return text;
}

/** @throws DomainError `NAME_INVALID`, `NAME_UNKNOWN` */
export function checkedName(name: string, tenantId: number): string {
  if (name.length > mostOfName || !nameShape.test(name)) {
    throw nameInvalid(
      `The name of a repository has lower-case letters, digits and single separators, with slashes between, and at most ${mostOfName} characters.`,
    );
  }
  const namespace = namespaceOf(tenantId);
  if (!name.startsWith(`${namespace}/`) && platformImageIn(name) === undefined) {
    throw unknownName(namespace);
  }
  return name;
}
