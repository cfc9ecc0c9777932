/** The grants on a file or folder: reading them, giving and taking. Changes offer to be undone. */

import type { Cog, Permission, User } from '@cogworks/sdk/contract.gen';
import { listAll } from '@cogworks/sdk/pages';
import { t } from '@lingui/core/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { nameOfFolder } from '../../../cogs.ts';
import { fullName } from '../../../people.ts';
import { offerUndo } from '../../../undo.tsx';
import { useListings } from '../listings.ts';
import {
  type GrantFields,
  type GrantValues,
  levelLabel,
  manyHave,
  oneHas,
  valuesOf,
  valuesOfGrant,
} from './grants.ts';

/** All that give access, the nearest first. */
export function useGrants(cogId: number) {
  return useQuery({
    queryKey: ['grants', cogId],
    queryFn: () => {
      const query = { include_inherited: true, limit: 1000 };
      return listAll(api, 'listPermissions', { path: { id: cogId }, query });
    },
  });
}

export type Giving = { users: readonly User[]; fields: GrantFields };

export function useGive(cog: Cog, grants: readonly Permission[]) {
  const { share, revoke, refresh } = useSteps(cog);
  return useMutation({
    mutationFn: async ({ users, fields }: Giving) => {
      const given: { permission: Permission; former: Permission | undefined }[] = [];
      try {
        for (const { id } of users) {
          const former = grants.find((one) => one.user_id === id && !one.inherited);
          given.push({ permission: await share(id, valuesOf(fields)), former });
        }
      } finally {
        // Before the list shows it, so that nobody takes back what was done before instead.
        if (given.length > 0) offerUndo(wordsOf(given.length, users, fields, cog), back);
        await refresh();
      }
      async function back() {
        for (const { permission, former } of given) {
          if (former) await share(former.user_id, valuesOfGrant(former));
          else await revoke(permission);
        }
        await refresh();
      }
    },
  });
}

function wordsOf(given: number, users: readonly User[], { level }: GrantFields, cog: Cog) {
  const [first] = users;
  const place = nameOfFolder(cog);
  return given === 1 && first
    ? oneHas[level](fullName(first), place)
    : manyHave[level](given, place);
}

export function useTake(cog: Cog) {
  const { share, revoke, refresh } = useSteps(cog);
  return useMutation({
    mutationFn: async ({ grant, name }: { grant: Permission; name: string }) => {
      await revoke(grant);
      const [level, place] = [levelLabel(grant.level), nameOfFolder(cog)];
      offerUndo(t`${name}: ${level} of “${place}” taken back.`, async () => {
        await share(grant.user_id, valuesOfGrant(grant));
        await refresh();
      });
      await refresh();
    },
  });
}

function useSteps(cog: Cog) {
  const client = useQueryClient();
  const listings = useListings();
  return {
    share: (user_id: number, values: GrantValues) =>
      api.shareCog({
        path: { id: cog.id },
        body: { target_type: 'cog', target_id: cog.id, user_id, ...values },
      }),
    revoke: ({ permission_id }: Permission) => api.revokePermission({ path: { permission_id } }),
    refresh: () =>
      Promise.all([client.invalidateQueries({ queryKey: ['grants'] }), listings.reload()]),
  };
}
