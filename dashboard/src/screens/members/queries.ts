/** People and open invitations, as this screen reads and changes them. */
import type { InvitationRequest, UserChanges } from '@cogworks/sdk/contract.gen';
import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api, apiPage } from '../../api.ts';
import { useRequestKey } from '../../request-key.ts';

export const useMembers = (q: string) =>
  useInfiniteQuery({
    queryKey: ['users', 'listed', q],
    queryFn: ({ pageParam }) =>
      apiPage('listUsers', { query: { ...(q && { q }), limit: 100 } }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    placeholderData: keepPreviousData,
  });

export const useOpenInvitations = (enabled: boolean) =>
  useQuery({
    queryKey: ['invitations'],
    queryFn: () => api.listInvitations({ query: { limit: 1000 } }),
    enabled,
  });

export const useDisablePreview = (id: number) =>
  useQuery({
    queryKey: ['disable-preview', id],
    queryFn: () => api.previewDisabling({ path: { id } }),
    // What was counted before may be different now.
    gcTime: 0,
  });

/** Reads all that is shown of people again. */
const readAgain = (client: QueryClient) =>
  Promise.all(
    ['users', 'invitations', 'subscription', 'me'].map((key) =>
      client.invalidateQueries({ queryKey: [key] }),
    ),
  );

export function useChangeMember() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, changes }: { id: number; changes: UserChanges }) =>
      api.changeUser({ path: { id }, body: changes }),
    onSuccess: () => readAgain(client),
  });
}

/** Removes a disabled person, after a successor has taken over what they own. */
export function useRemoveMember() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, successor_id }: { id: number; successor_id: number | undefined }) => {
      if (successor_id !== undefined)
        await api.changeUser({ path: { id }, body: { successor_id } });
      await api.removeUser({ path: { id } });
    },
    onSettled: () => readAgain(client),
  });
}

/** An invitation, once: also when the button is pressed twice or an answer is lost. */
export function useInvite() {
  const client = useQueryClient();
  const keyOf = useRequestKey();
  return useMutation({
    mutationFn: (body: InvitationRequest) =>
      api.createInvitation({ body, idempotencyKey: keyOf(body) }),
    onSuccess: () => readAgain(client),
    // The link must not outlive the dialog that shows it.
    gcTime: 0,
  });
}

export function useTakeBackInvitation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => api.revokeInvitation({ path: { id } }),
    onSuccess: () => readAgain(client),
  });
}
