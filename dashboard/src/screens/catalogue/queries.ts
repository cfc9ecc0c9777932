/** The queries of the catalogue. */
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { allRows } from '@cogworks/sdk/pages';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useApiPages } from '../../api-pages.ts';

/** As the builder has them. */
export const definitionsKey = ['node-definitions', 'all'];

/** All that the organization may use: types are searched here, and versions belong together. */
export const useDefinitions = () =>
  useQuery({
    queryKey: definitionsKey,
    queryFn: async () => {
      const rows: NodeDefinition[] = [];
      for await (const row of allRows(api, 'listNodeDefinitions', { query: { limit: 1000 } })) {
        rows.push(row);
      }
      return rows;
    },
  });

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
