/** The queries of the catalogue. */
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useApiPages } from '../../api-pages.ts';

/** One never changes. */
export const useDefinition = (id: number) =>
  useQuery({
    queryKey: ['definition', id],
    queryFn: () => api.getNodeDefinition({ path: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useUses = (id: number) =>
  useApiPages(['definition', id, 'uses'], 'listDefinitionUses', { path: { id } });

/** The names of secrets, for those who may list them. */
export const useSecretNames = () =>
  useQuery({
    queryKey: ['secrets', 'names'],
    queryFn: async () =>
      (await api.listSecrets({ query: { limit: 1000 } })).map(({ name }) => name),
    retry: false,
  });
