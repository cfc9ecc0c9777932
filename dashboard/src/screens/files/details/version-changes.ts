/** The versions of a file, and what changes them. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, apiPage } from '../../../api.ts';
import { openDownload } from '../../../downloads.ts';
import { randomKey } from '../../../request-key.ts';
import { useListings } from '../listings.ts';

export function useVersions(id: number) {
  return useInfiniteQuery({
    queryKey: ['file-versions', id],
    queryFn: ({ pageParam }) =>
      apiPage('listFileVersions', { path: { id }, query: { limit: 20 } }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });
}

function useRefresh() {
  const client = useQueryClient();
  const listings = useListings();
  return async (cog?: Cog) => {
    if (cog) listings.put([cog]);
    await client.invalidateQueries({ queryKey: ['file-versions'] });
  };
}

export function useNewVersion({ id }: Cog) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (file: File) => {
      const body = new FormData();
      body.append('file', file);
      return api.storeContent({ path: { id }, body });
    },
    onSuccess: refresh,
  });
}

export function useRestoreVersion({ id }: Cog) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (version: number) => api.restoreFileVersion({ path: { id, version } }),
    onSuccess: refresh,
  });
}

export function useDeleteVersion({ id }: Cog) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (version: number) => api.deleteFileVersion({ path: { id, version } }),
    onSuccess: () => refresh(),
  });
}

export function useDownloadVersion(id: number) {
  return useMutation({
    mutationFn: async (version: number) => {
      const asked = { path: { id }, body: { version }, idempotencyKey: randomKey() };
      openDownload((await api.createDownloadUrl(asked)).url);
    },
  });
}
