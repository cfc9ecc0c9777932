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

/** What tells one version from others, after "version": of a built-in step when it came. */
export function versionWords(one: Pick<NodeDefinition, 'scope' | 'version' | 'created_at'>) {
  const came = formatMinute(one.created_at);
  return isBuiltIn(one) ? t`of ${came}` : one.version;
}
