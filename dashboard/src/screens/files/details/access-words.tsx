/** In words: what the reader may do and why, and how many others have access. */

import type { Cog, EffectiveAccess } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { nameOfFolder } from '../../../cogs.ts';
import { useGrants } from '../sharing/grant-changes.ts';
import type { Level } from '../sharing/grants.ts';

export function AccessWords({ cog }: { cog: Cog }) {
  const own = useQuery({
    queryKey: ['grants', cog.id, 'own'],
    queryFn: () => api.explainAccess({ path: { id: cog.id } }),
  });
  const path = useQuery({
    queryKey: ['path', cog.id],
    queryFn: () => api.getCogPath({ path: { id: cog.id } }),
  });
  const grants = useGrants(cog.id);
  if (!own.data || !grants.data) return null;

  const folder = path.data?.find(({ id }) => id === own.data.grant?.target_id);
  const people = new Set(
    grants.data.filter(({ overridden }) => !overridden).map(({ user_id }) => user_id),
  );
  people.delete(own.data.user_id);
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {ownWords(own.data, cog, folder)}{' '}
      {people.size === 0
        ? t`It is shared with nobody else.`
        : plural(people.size, {
            one: '# other person has access.',
            other: '# other people have access.',
          })}
    </Text>
  );
}

const roles: Record<Level, string> = {
  viewer: t`a viewer`,
  editor: t`an editor`,
  owner: t`an owner`,
};

function ownWords({ reason, level, grant }: EffectiveAccess, cog: Cog, folder: Cog | undefined) {
  if (reason === 'tenant_admin') return t`You own it, as an administrator.`;
  if (!grant || level === undefined) return t`You see it, as everybody here does.`;
  const role = roles[level];
  if (grant.target_id === cog.id) return t`You are ${role}.`;
  if (!folder) return t`You are ${role}, by your access to a folder above.`;
  const name = nameOfFolder(folder);
  return t`You are ${role}, by your access to “${name}”.`;
}
