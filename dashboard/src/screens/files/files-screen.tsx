/** Files: one folder, or search results in it. The URL has the folder, order and search. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFolderOpen, IconSearch, IconZoomExclamation } from '@tabler/icons-react';
import { useSearch as useAddress, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useDownload } from '../../downloads.ts';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import { type Action, CogDialogs } from './cog-dialogs.tsx';
import { DropZone } from './drop-zone.tsx';
import { FileTable } from './file-table.tsx';
import { NewMenu } from './new-menu.tsx';
import { PathLinks } from './path-links.tsx';
import {
  isFolder,
  rowsOf,
  type Sort,
  useChildren,
  useFolder,
  usePath,
  useRefreshOnUpload,
  useSearch,
} from './queries.ts';
import { SelectionBar } from './selection-bar.tsx';
import { uploadDropped } from './upload-dropped.ts';

export function FilesScreen() {
  const { folderId } = useParams({ strict: false });
  const { sort = 'name', q = '' } = useAddress({ strict: false });
  const folder = useFolder(folderId === undefined ? undefined : Number(folderId));
  const isRoot = folder.data?.cog_type === 'master_folder';
  const title = folder.data ? nameOf(folder.data) : 'Files';
  const path = usePath(folder.data);
  useRefreshOnUpload();

  return (
    <Screen
      title={title}
      lead={folder.data && !isRoot && <PathLinks path={path.data ?? []} />}
      actions={folder.data && <NewMenu folder={folder.data} />}
    >
      <Await query={folder}>
        {(cog) => (
          <DropZone
            folderName={nameOf(cog)}
            isAllowed={cog.access.can_upload}
            onFiles={(files) => void uploadDropped(cog.id, files)}
          >
            <SearchField key={`search ${cog.id}`} folder={cog} q={q} />
            <Listing key={`${cog.id} ${q}`} folder={cog} sort={sort} q={q} />
          </DropZone>
        )}
      </Await>
    </Screen>
  );
}

const nameOf = (folder: Cog) => (folder.cog_type === 'master_folder' ? 'My Files' : folder.name);

function SearchField({ folder, q }: { folder: Cog; q: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(q);
  const search = useDebouncedCallback((wanted: string) => {
    void navigate({
      to: '.',
      search: (old) => ({ ...old, q: wanted.trim() || undefined }),
      replace: true,
    });
  }, 250);
  return (
    <TextInput
      type="search"
      aria-label={`Search in ${nameOf(folder)}`}
      placeholder={`Search in ${nameOf(folder)}`}
      leftSection={<IconSearch size={16} />}
      maw={360}
      mb="lg"
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}

type ListingProps = { folder: Cog; sort: Sort; q: string };

function Listing({ folder, sort, q }: ListingProps) {
  const navigate = useNavigate();
  const children = useChildren(q ? undefined : folder.id, sort);
  const found = useSearch(q, folder.cog_type === 'master_folder' ? undefined : folder.id);
  const list = q ? found : children;
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [action, setAction] = useState<Action>();
  const download = useDownload();

  const open = (cog: Cog) => {
    if (!isFolder(cog)) return setAction({ kind: 'details', cogs: [cog] });
    void navigate({ to: '/files/$folderId', params: { folderId: String(cog.id) }, search: {} });
  };
  return (
    <>
      <Await query={list}>
        {(data) => {
          const rows = rowsOf(data);
          const chosen = rows.filter((cog) => selected.has(cog.id));
          if (rows.length === 0) return q ? <NothingFound q={q} /> : <NothingYet folder={folder} />;
          return (
            <>
              <FileTable
                rows={rows}
                sort={q ? undefined : sort}
                onSort={(next) =>
                  void navigate({
                    to: '.',
                    search: (old) => ({ ...old, sort: next }),
                    replace: true,
                  })
                }
                selected={selected}
                onSelect={setSelected}
                onOpen={open}
                onAction={(kind, cogs) =>
                  kind === 'download' ? download.mutate(cogs) : setAction({ kind, cogs })
                }
                hasMore={list.hasNextPage}
                isLoadingMore={list.isFetchingNextPage}
                onMore={() => void list.fetchNextPage()}
              />
              <SelectionBar
                chosen={chosen}
                onClear={() => setSelected(new Set())}
                onDownload={() => download.mutate(chosen)}
                onDelete={() => setAction({ kind: 'delete', cogs: chosen })}
                onRename={() => setAction({ kind: 'rename', cogs: chosen })}
              />
            </>
          );
        }}
      </Await>
      <CogDialogs
        action={action}
        onClose={() => setAction(undefined)}
        onDownload={(cogs) => download.mutate(cogs)}
        onDeleted={() => setSelected(new Set())}
      />
    </>
  );
}

const NothingFound = ({ q }: { q: string }) => (
  <Empty icon={<IconZoomExclamation size={30} stroke={1.5} />} title={`Nothing is called “${q}”`}>
    Search looks for a part of the name, in this folder and all below it.
  </Empty>
);

const NothingYet = ({ folder }: { folder: Cog }) => (
  <Empty
    icon={<IconFolderOpen size={30} stroke={1.5} />}
    title="This folder is empty"
    action={folder.access.can_upload && <NewMenu folder={folder} />}
  >
    {folder.access.can_upload
      ? 'Drag files and folders anywhere onto this page, or choose them. Then run a workflow on them.'
      : 'You may see this folder, but not add to it.'}
  </Empty>
);
