/** A list of files and folders that is loaded page by page. */

import type { PlacedCog } from '@cogworks/sdk/contract.gen';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Await } from '../../ui/await.tsx';
import type { Column } from '../../ui/rows/column.ts';
import { CogList } from './cog-list.tsx';
import { type Rows, rowsOf, type Sort } from './queries.ts';

type Props = {
  list: UseInfiniteQueryResult<Rows<PlacedCog>>;
  columns: readonly Column<PlacedCog>[];
  empty: ReactNode;
  sort?: Sort;
  onSort?: (sort: string) => void;
};

export function ListView({ list, empty, ...table }: Props) {
  return (
    <Await query={list}>
      {(data) => {
        const rows = rowsOf(data);
        if (rows.length === 0 && !list.hasNextPage) return empty;
        return (
          <CogList
            {...table}
            rows={rows}
            hasMore={list.hasNextPage}
            isLoadingMore={list.isFetchingNextPage}
            onMore={() => void list.fetchNextPage()}
          />
        );
      }}
    </Await>
  );
}
