/** The node definitions that graphs may use. Each is immutable; new ones are added at times. */
import type { Definition, Definitions } from '@cogworks/graph/types';
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { useQuery } from '@tanstack/react-query';
import { apiPage } from './api.ts';

export const catalogueKey = ['node-definitions', 'all'];

/** All of them: choosing, validating and drawing need the ports of each, and searches their texts. */
export const useCatalogue = () =>
  useQuery({
    queryKey: catalogueKey,
    queryFn: async () => {
      const all: NodeDefinition[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await apiPage('listNodeDefinitions', { query: { limit: 1000 } }, cursor);
        all.push(...page.rows);
        cursor = page.cursor;
        if (cursor === undefined) return all;
      }
    },
    staleTime: 60_000,
  });

/** The same as validation reads them. What the service omits is absent there, never undefined. */
export const definitionsOf = (catalogue: readonly NodeDefinition[]): Definitions =>
  new Map(catalogue.map((one) => [one.id, one as unknown as Definition]));
