/** The organization of the signed-in user, and how many people it may have. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';

export const useOrganization = () =>
  useQuery({
    queryKey: ['organization'],
    queryFn: () => api.getOrganization(),
    staleTime: 300_000,
  });

export function useRenameOrganization() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => api.changeOrganization({ body: { name } }),
    onSuccess: (organization) => client.setQueryData(['organization'], organization),
  });
}

export const useSubscription = () =>
  useQuery({ queryKey: ['subscription'], queryFn: () => api.getSubscription() });
