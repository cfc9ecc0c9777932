/**
 * A folder's rows: sorted by column headers, navigated and selected by keyboard, loaded on demand.
 */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { Checkbox, Loader, Menu, VisuallyHidden } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { type MouseEvent, useEffect, useState } from 'react';
import table from '../../ui/table.module.css';
import { ActionItems } from './action-items.tsx';
import type { OnAction } from './actions.ts';
import { FileRow } from './file-row.tsx';
import { useListKeys } from './list-keys.ts';

export type TableProps = {
  rows: readonly Cog[];
  /** Undefined if users cannot sort, as in search results. */
  sort: string | undefined;
  onSort: (
    sort: 'name' | '-name' | 'updated_at' | '-updated_at' | 'size_bytes' | '-size_bytes',
  ) => void;
  selected: ReadonlySet<number>;
  onSelect: (selected: ReadonlySet<number>) => void;
  onOpen: (cog: Cog) => void;
  onAction: OnAction;
  /** Rows were dragged onto a folder. */
  onMove: (cogs: readonly Cog[], folder: Cog) => void;
  hasMore: boolean;
  isLoadingMore: boolean;
  onMore: () => void;
};

export function FileTable(props: TableProps) {
  const { rows, sort, onSort, selected, onSelect, onOpen, onAction, onMove } = props;
  const keys = useListKeys({ rows, selected, onSelect, onOpen, onAction });
  const [forMenu, setForMenu] = useState<readonly Cog[]>([]);
  const chooseForMenu = ({ target }: MouseEvent) => {
    const index = (target as HTMLElement).closest<HTMLElement>('tr')?.dataset.index;
    const cog = rows[Number(index)];
    if (cog) setForMenu(keys.chosenWith(cog));
  };
  const chosen = rows.filter((cog) => selected.has(cog.id)).length;
  const heads = [
    { field: 'name', label: 'Name', className: '' },
    { field: 'size_bytes', label: 'Size', className: `${table.right} ${table.wide}` },
    { field: 'updated_at', label: 'Changed', className: table.wide },
  ] as const;
  return (
    <>
      <Menu position="bottom-start">
        <table className={table.table}>
          <thead>
            <tr>
              <th style={{ width: 36 }}>
                <Checkbox
                  size="xs"
                  aria-label="Choose all"
                  checked={chosen === rows.length}
                  indeterminate={chosen > 0 && chosen < rows.length}
                  onChange={() =>
                    onSelect(new Set(chosen === rows.length ? [] : rows.map((cog) => cog.id)))
                  }
                />
              </th>
              {heads.map(({ field, label, className }) => (
                <th key={field} className={className} aria-sort={ariaSort(sort, field)}>
                  {sort === undefined ? (
                    label
                  ) : (
                    <button
                      type="button"
                      className={table.sort}
                      onClick={() => onSort(sort === field ? `-${field}` : field)}
                    >
                      {label}
                      {sort === field && <IconArrowUp size={13} aria-hidden />}
                      {sort === `-${field}` && <IconArrowDown size={13} aria-hidden />}
                    </button>
                  )}
                </th>
              ))}
              <th className={table.wide}>My access</th>
              <th style={{ width: 44 }}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </th>
            </tr>
          </thead>
          <Menu.ContextMenu>
            <tbody onContextMenu={chooseForMenu} onClick={keys.onClick} onKeyDown={keys.onKeyDown}>
              {rows.map((cog, index) => (
                <FileRow
                  key={cog.id}
                  cog={cog}
                  isSelected={selected.has(cog.id)}
                  row={keys.rowProps(index)}
                  onToggle={(isRange) => keys.toggle(index, isRange)}
                  onOpen={() => onOpen(cog)}
                  onAction={onAction}
                  dragged={() => keys.chosenWith(cog)}
                  onMove={onMove}
                />
              ))}
            </tbody>
          </Menu.ContextMenu>
        </table>
        <Menu.Dropdown>
          <ActionItems cogs={forMenu} onAction={onAction} />
        </Menu.Dropdown>
      </Menu>
      <More {...props} />
    </>
  );
}

const ariaSort = (sort: string | undefined, field: string) =>
  sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : undefined;

/** Loads the next page when the end becomes visible. */
function More({ rows, hasMore, isLoadingMore, onMore }: TableProps) {
  const { ref, entry } = useIntersection({ rootMargin: '600px' });
  const isNear = entry?.isIntersecting ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with more rows the end may still be near
  useEffect(() => {
    if (isNear && hasMore && !isLoadingMore) onMore();
  }, [isNear, hasMore, isLoadingMore, rows.length]);
  return (
    <div ref={ref} style={{ minHeight: 40, display: 'grid', placeItems: 'center' }}>
      {isLoadingMore && <Loader size="xs" aria-label="Loading more" />}
    </div>
  );
}
