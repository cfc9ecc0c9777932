/** A list that grows at its end: the rows read so far, and a button for older ones. */
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Await } from './await.tsx';

type PagedList<Row> = {
  data: { pages: readonly { rows: readonly Row[] }[] } | undefined;
  error: unknown;
  isFetching: boolean;
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
};

type Props<Row> = {
  list: PagedList<Row>;
  /** Shown instead if there is no row. */
  empty: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
};

export function OlderRows<Row>({ list, empty, children }: Props<Row>) {
  return (
    <Await query={list}>
      {({ pages }) => {
        const rows = pages.flatMap((page) => page.rows);
        if (rows.length === 0) return empty;
        return (
          <>
            {children(rows)}
            {list.hasNextPage && (
              <Button
                variant="subtle"
                fullWidth
                mt="md"
                loading={list.isFetchingNextPage}
                onClick={() => void list.fetchNextPage()}
              >
                <Trans>Show older</Trans>
              </Button>
            )}
          </>
        );
      }}
    </Await>
  );
}
