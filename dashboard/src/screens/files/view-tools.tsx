/** As a list or as pictures; the browser remembers it. Pictures have no headers, so they are sorted here. */
import { t } from '@lingui/core/macro';
import { ActionIcon, Group, NativeSelect, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconLayoutGrid, IconList } from '@tabler/icons-react';
import type { Sort } from './queries.ts';

export function useFileView() {
  const [view, setView] = useLocalStorage<'list' | 'grid'>({
    key: 'cogworks.files.view',
    defaultValue: 'list',
    getInitialValueInEffect: false,
  });
  return { view, setView };
}

const orders: { value: Sort; label: string }[] = [
  { value: 'name', label: t`Name` },
  { value: '-name', label: t`Name, from the end` },
  { value: '-updated_at', label: t`Changed last` },
  { value: 'updated_at', label: t`Changed first` },
  { value: '-size_bytes', label: t`Largest` },
  { value: 'size_bytes', label: t`Smallest` },
];

/** `sort` is undefined where users cannot sort. */
type Props = { sort?: Sort | undefined; onSort?: (sort: Sort) => void };

export function ViewTools({ sort, onSort }: Props) {
  const { view, setView } = useFileView();
  const other = view === 'list' ? 'grid' : 'list';
  const label = other === 'grid' ? t`Show as pictures` : t`Show as a list`;
  const Icon = other === 'grid' ? IconLayoutGrid : IconList;
  return (
    <Group gap="xs" wrap="nowrap">
      {view === 'grid' && sort !== undefined && (
        <NativeSelect
          aria-label={t`Order`}
          data={orders}
          value={sort}
          onChange={({ currentTarget }) => onSort?.(currentTarget.value as Sort)}
        />
      )}
      <Tooltip label={label}>
        <ActionIcon variant="default" size={36} aria-label={label} onClick={() => setView(other)}>
          <Icon size={18} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
