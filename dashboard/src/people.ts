/** The users of the tenant, by their ids. */
import type { User } from '@cogworks/sdk/contract.gen';
import { allRows } from '@cogworks/sdk/pages';
import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api } from './api.ts';

/** More are not loaded; their ids stand for their names. */
const mostUsers = 5000;

export const useMe = () =>
  useQuery({ queryKey: ['me'], queryFn: () => api.getMe(), staleTime: 300_000 });

const useAllUsers = () =>
  useQuery({
    queryKey: ['users', 'all'],
    queryFn: async () => {
      const users = new Map<number, User>();
      const query = { limit: 1000, include_removed: true };
      for await (const user of allRows(api, 'listUsers', { query })) {
        users.set(user.id, user);
        if (users.size >= mostUsers) break;
      }
      return users;
    },
    staleTime: 300_000,
  });

export function useUsers(): (id: number) => User | undefined {
  const { data } = useAllUsers();
  return useCallback((id: number) => data?.get(id), [data]);
}

export function useAdmins(): User[] {
  const { data } = useAllUsers();
  return [...(data?.values() ?? [])].filter(
    ({ role, status }) => role === 'admin' && status === 'active',
  );
}

/** The name of a user, or the address of one without a name. */
export const fullName = ({ first_name, last_name, email }: Omit<User, 'id' | 'role' | 'status'>) =>
  [first_name, last_name].filter(Boolean).join(' ') || email;

/** `You`, a name, or the id of somebody unknown. */
export function useNames(): (id: number) => string {
  const user = useUsers();
  const { data: me } = useMe();
  return useCallback(
    (id: number) => {
      const known = user(id);
      return id === me?.id ? t`You` : known ? fullName(known) : t`User ${id}`;
    },
    [user, me],
  );
}
