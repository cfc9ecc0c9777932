/** A list of files and folders that is loaded page by page. */

import type { PlacedCog } from '@cogworks/sdk/contract.gen';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode, Ref } from 'react';
import { Await, LoadingRows } from '../../ui/await.tsx';
import type { Column } from '../../ui/rows/column.ts';
import { CogList, type ListHandle } from './cog-list.tsx';
import { moreOf, type Rows, rowsOf, type Sort } from './queries.ts';

type Props = {
  list: UseInfiniteQueryResult<Rows<PlacedCog>>;
  columns: readonly Column<PlacedCog>[];
  empty: ReactNode;
  sort?: Sort;
  onSort?: (sort: string) => void;
  ref?: Ref<ListHandle>;
};

export function ListView({ list, empty, ...table }: Props) {
  return (
    <Await query={{ ...list, error: list.isFetchNextPageError ? null : list.error }}>
      {(data) => {
        const rows = rowsOf(data);
        if (rows.length === 0 && list.isPlaceholderData) return <LoadingRows />;
        if (rows.length === 0 && !list.hasNextPage) return empty;
        return <CogList {...table} rows={rows} {...moreOf(list)} />;
      }}
    </Await>
  );
}
