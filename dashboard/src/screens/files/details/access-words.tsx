/** In words: what the reader may do and why, and how many others have access. */

import type { Cog, EffectiveAccess } from '@cogworks/sdk/contract.gen';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { nameOfFolder } from '../../../cogs.ts';
import { plural } from '../../../ui/format.ts';
import { useGrants } from '../sharing/grant-changes.ts';
import { levelLabel } from '../sharing/grants.ts';

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
        ? 'It is shared with nobody else.'
        : `${plural(people.size, 'other person has', 'other people have')} access.`}
    </Text>
  );
}

function ownWords({ reason, level, grant }: EffectiveAccess, cog: Cog, folder: Cog | undefined) {
  if (reason === 'tenant_admin') return 'You own it, as an administrator.';
  if (!grant || level === undefined) return 'You see it, as everybody here does.';
  const word = levelLabel(level).toLowerCase();
  const where =
    grant.target_id === cog.id
      ? ''
      : folder
        ? `, by your access to “${nameOfFolder(folder)}”`
        : ', by your access to a folder above';
  return `You are ${/^[aeo]/.test(word) ? 'an' : 'a'} ${word}${where}.`;
}
