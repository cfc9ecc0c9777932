/** The addresses below `/dav/`: percent-encoded paths of names, decoded exactly once. */
import { invalid } from '../../errors.ts';
import { checkedName } from '../cogs/places/names.ts';

export const davRoot = '/dav';

/**
 * The names in a request's target, none for the root. Empty ones are left out, so a trailing slash
 * means nothing.
 *
 * @throws DomainError 400 or 422 for what can be no name, as `..` or an encoded slash.
 */
export function namesIn(target: string): string[] {
  // Bytes above ASCII arrive as one character each, and would give a name that nobody meant.
  if (/[^ -~]/.test(target)) throw invalid('The address is not percent-encoded UTF-8.');
  if (target.includes('#')) throw invalid('An address must not have a fragment.');
  const [path = ''] = target.split('?');
  if (path !== davRoot && !path.startsWith(`${davRoot}/`)) {
    throw invalid(`Only addresses below ${davRoot}/ can be meant.`);
  }
  return path
    .slice(davRoot.length)
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => checkedName(decoded(segment), ['path']));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalid('The address is not percent-encoded UTF-8.');
  }
}

/** The address of these names, as clients are told. */
export const addressOf = (names: readonly string[], isFolder: boolean): string =>
  [davRoot, ...names.map(encodeURIComponent)].join('/') + (isFolder ? '/' : '');

/**
 * The names in an absolute URL or path, as in `Destination` and `If`; undefined if it is of another
 * server.
 *
 * @param ownHosts the host of the request and that of the public URL. The scheme does not matter:
 *   behind a proxy the client's is not known.
 * @throws DomainError like `namesIn`.
 */
export function namesInUrl(url: string, ownHosts: readonly string[]): string[] | undefined {
  if (url.startsWith('/') && !url.startsWith('//')) return namesIn(url);
  // Not URL.pathname: that resolves dots, also encoded ones.
  const [, scheme = '', host, target = ''] = /^(https?):\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (host === undefined) throw invalid('The address must be a URL or an absolute path.');
  const name = host.slice(host.lastIndexOf('@') + 1).toLowerCase();
  const usualPort = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  const short = name.endsWith(usualPort) ? name.slice(0, -usualPort.length) : name;
  return ownHosts.includes(name) || ownHosts.includes(short) ? namesIn(target) : undefined;
}
