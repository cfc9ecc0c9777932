/** The first rows that came with an answer; all of them, page by page, once they are asked for. */
import type { CallOptions } from '@cogworks/sdk/client';
import type { Operations } from '@cogworks/sdk/contract.gen';
import type { ListId, Row } from '@cogworks/sdk/pages';
import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useApiPages } from '../../../../api-pages.ts';
import { Problem } from '../../../../ui/await.tsx';

type Props<Id extends ListId> = {
  queryKey: QueryKey;
  id: Id;
  args: Operations[Id]['args'] & CallOptions;
  first: readonly Row<Id>[];
  /** Whether there are more than the first. */
  hasMore: boolean;
  more: string;
  children: (rows: readonly Row<Id>[]) => ReactNode;
};

export function PagedRows<Id extends ListId>(props: Props<Id>) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <AllRows {...props} />;
  return (
    <>
      {props.children(props.first)}
      {props.hasMore && <More label={props.more} onClick={() => setOpen(true)} />}
    </>
  );
}

function AllRows<Id extends ListId>({ queryKey, id, args, first, more, children }: Props<Id>) {
  const list = useApiPages(queryKey, id, args);
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? first;
  return (
    <>
      {children(rows)}
      {list.error != null && <Problem error={list.error} onRetry={list.refetch} />}
      {(list.isPending || list.hasNextPage) && (
        <More
          label={list.isPending ? more : t`Show more`}
          isBusy={list.isFetching}
          onClick={() => void list.fetchNextPage()}
        />
      )}
    </>
  );
}

type MoreProps = { label: string; isBusy?: boolean; onClick: () => void };

const More = ({ label, isBusy = false, onClick }: MoreProps) => (
  <Button variant="subtle" size="compact-sm" loading={isBusy} onClick={onClick}>
    {label}
  </Button>
);
