/** What readers call a definition and its version. */
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { formatMinute } from './ui/format.ts';

type Named = {
  name: string;
  version: string;
  scope?: NodeDefinition['scope'];
};

export const isBuiltIn = ({ scope }: Pick<Named, 'scope'>): boolean => scope === 'platform';

/** The exact name, as "crop@2". */
export const fullName = ({ name, version }: Named): string => `${name}@${version}`;

/**
 * For readers: the version of a built-in step is a checksum of what it does, which tells them
 * nothing, and the newest is offered anyway.
 */
export const shownName = (one: Named): string => (isBuiltIn(one) ? one.name : fullName(one));

type Dated = Pick<NodeDefinition, 'scope' | 'version' | 'created_at'>;

/** What tells one version from others where nothing but versions is: of a built-in step when it came. */
export const versionAlone = (one: Dated): string =>
  isBuiltIn(one) ? formatMinute(one.created_at) : one.version;

/** The same as a title. */
export function versionTitle(one: Dated): string {
  const version = versionAlone(one);
  return isBuiltIn(one) ? t`Version of ${version}` : t`Version ${version}`;
}

/** The same as an offer. */
export function offerOfVersion(one: Dated): string {
  const version = versionAlone(one);
  return isBuiltIn(one) ? t`Use the version of ${version}` : t`Use version ${version}`;
}
