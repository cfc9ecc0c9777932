/** Browses folders to select files, or a whole folder, which stands for the files in it. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiPage } from '../api.ts';
import { Await } from '../ui/await.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FileIcon } from '../ui/file-icon.tsx';
import { formatSize } from '../ui/format.ts';
import { LongName } from '../ui/long-name.tsx';
import classes from './run-inputs.module.css';

type Props = {
  opened: boolean;
  chosen: readonly number[];
  /** Takes one file, and no folder. */
  isOne?: boolean;
  onChoose: (ids: number[]) => void;
  onClose: () => void;
};

export function FilePicker({ opened, onClose, ...picking }: Props) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={picking.isOne ? t`Choose a file` : t`Choose files`}
      size="lg"
    >
      <Picking {...picking} onClose={onClose} />
    </Dialog>
  );
}

function Picking({ chosen, isOne = false, onChoose, onClose }: Omit<Props, 'opened'>) {
  const root = useQuery({ queryKey: ['folder', 'root'], queryFn: () => api.getRootCog() });
  const [path, setPath] = useState<readonly Cog[]>([]);
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set(chosen));
  const folder = path.at(-1) ?? root.data;

  const toggle = (id: number) =>
    setPicked((old) => {
      const next = new Set(isOne ? [...old].filter((one) => one === id) : old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return (
    <>
      <nav className={classes.path} aria-label={t`Folder`}>
        {[undefined, ...path].map((cog, depth) => (
          <span key={cog?.id ?? 'root'} className={classes.pathStep}>
            {depth > 0 && <IconChevronRight size={14} aria-hidden />}
            <button type="button" onClick={() => setPath(path.slice(0, depth))}>
              {cog?.name ?? t`My Files`}
            </button>
          </span>
        ))}
      </nav>
      <Await query={root}>
        {() =>
          folder && (
            <FolderRows
              key={folder.id}
              folder={folder}
              picked={picked}
              isOne={isOne}
              onToggle={toggle}
              onOpen={(cog) => setPath([...path, cog])}
            />
          )
        }
      </Await>
      <Group justify="flex-end" mt="md" gap="sm">
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button disabled={picked.size === 0} onClick={() => onChoose([...picked])}>
          {picked.size === 0 || isOne
            ? t`Choose`
            : plural(picked.size, { one: 'Choose # item', other: 'Choose # items' })}
        </Button>
      </Group>
    </>
  );
}

type RowsProps = {
  folder: Cog;
  picked: ReadonlySet<number>;
  isOne: boolean;
  onToggle: (id: number) => void;
  onOpen: (cog: Cog) => void;
};

function FolderRows({ folder, picked, isOne, onToggle, onOpen }: RowsProps) {
  const list = useInfiniteQuery({
    queryKey: ['picker', folder.id],
    queryFn: ({ pageParam }) =>
      apiPage('listCogs', { query: { parent_id: folder.id, sort: 'name' } }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });
  return (
    <div className={classes.picker}>
      <Await query={list}>
        {({ pages }) => {
          const all = pages.flatMap((page) => page.rows);
          const isFile = (cog: Cog) => cog.cog_type === 'file';
          const rows = [...all.filter((cog) => !isFile(cog)), ...all.filter(isFile)];
          if (rows.length === 0) {
            return (
              <Text size="sm" c="var(--faint)" p="lg" ta="center">
                <Trans>This folder is empty.</Trans>
              </Text>
            );
          }
          return rows.map((cog) => (
            <div key={cog.id} className={classes.pick}>
              <Checkbox
                size="xs"
                checked={picked.has(cog.id)}
                disabled={isOne && !isFile(cog)}
                onChange={() => onToggle(cog.id)}
                aria-label={t`Choose ${cog.name}`}
              />
              <FileIcon isFolder={cog.cog_type !== 'file'} mime_type={cog.mime_type} />
              <button
                type="button"
                className={classes.pickName}
                onClick={() => (cog.cog_type === 'file' ? onToggle(cog.id) : onOpen(cog))}
              >
                <LongName name={cog.name} />
              </button>
              <Text size="xs" c="var(--faint)" className="figures">
                {cog.size_bytes === undefined ? '' : formatSize(cog.size_bytes)}
              </Text>
            </div>
          ));
        }}
      </Await>
      {list.hasNextPage && (
        <Button
          variant="subtle"
          fullWidth
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          <Trans>Show more</Trans>
        </Button>
      )}
    </div>
  );
}
