/** Files: one folder, or search results in it. The URL has the folder, order and search. */

import type { Cog, PlacedCog } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import {
  IconFolderOpen,
  IconPlayerPlay,
  IconSearch,
  IconZoomExclamation,
} from '@tabler/icons-react';
import { type UseInfiniteQueryResult, useQueryClient } from '@tanstack/react-query';
import { Navigate, useSearch as useAddress, useNavigate, useParams } from '@tanstack/react-router';
import { type Ref, Suspense, useEffect, useRef, useState } from 'react';
import { nameOfFolder } from '../../cogs.ts';
import { useIsShowingFirstSteps } from '../../starting/first-steps-memory.ts';
import { Await } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import type { ListHandle } from './cog-list.tsx';
import { DropZone } from './drop-zone.tsx';
import { fileColumns, placedColumns } from './file-columns.tsx';
import { FolderMenu } from './folder-menu.tsx';
import { ListView } from './list-view.tsx';
import { FirstSteps, FolderRunsButton, UploadedResults } from './loaded-later.ts';
import { NewMenu } from './new-menu.tsx';
import { PathLinks } from './path-links.tsx';
import { PlacesMenu } from './places-menu.tsx';
import {
  type Rows,
  rowsOf,
  type Sort,
  useChildren,
  useFolder,
  usePath,
  useSearch,
} from './queries.ts';
import { sendDropped } from './send-files.ts';
import { ViewTools } from './view-tools.tsx';

export function FilesScreen() {
  const { folderId } = useParams({ strict: false });
  const { sort = 'name', q = '', preview, details } = useAddress({ strict: false });
  const folder = useFolder(folderId === undefined ? undefined : Number(folderId));
  const isRoot = folder.data?.cog_type === 'master_folder';
  const title = folder.data ? nameOfFolder(folder.data) : t`Files`;
  const path = usePath(folder.data);
  const isOfTest = folder.data?.test_results === true || path.data?.[0]?.test_results === true;
  const setSort = useSetSort();
  const isShowingFirstSteps = useIsShowingFirstSteps();
  const list = useRef<ListHandle>(null);
  const [isSuggesting, setSuggesting] = useState(false);
  const client = useQueryClient();
  /** Whoever brings the first files wants something made of them. */
  const suggest = () => {
    const rows = client.getQueryData<Rows<Cog>>(['children', folder.data?.id, sort]);
    if (isRoot && rows && rowsOf(rows).length === 0) setSuggesting(true);
  };

  // The file of a copied address may be shared without the folder that it is in.
  if (isRefused(folder.error) && (preview ?? details) !== undefined) {
    return <Navigate to="/shared" search={{ preview, details }} replace />;
  }
  return (
    <Screen
      title={title}
      lead={
        folder.data && !isRoot && !folder.data.test_results && <PathLinks path={path.data ?? []} />
      }
      description={isOfTest && whatIsOfTest}
      actions={
        folder.data && (
          <NewMenu folder={isOfTest ? withoutAdding(folder.data) : folder.data} onSend={suggest} />
        )
      }
    >
      <Await query={folder}>
        {(found) => {
          const cog = isOfTest ? withoutAdding(found) : found;
          return (
            <FolderMenu folder={cog} list={list}>
              {(onContextMenu) => (
                <DropZone
                  folderName={nameOfFolder(cog)}
                  isAllowed={cog.access.can_upload}
                  onFiles={(files) => {
                    suggest();
                    sendDropped(cog.id, files);
                  }}
                  onContextMenu={onContextMenu}
                >
                  {isRoot && <PlacesMenu />}
                  {isRoot && isShowingFirstSteps && (
                    <Suspense>
                      <FirstSteps />
                    </Suspense>
                  )}
                  {isRoot && isSuggesting && (
                    <Suspense>
                      <UploadedResults onClose={() => setSuggesting(false)} />
                    </Suspense>
                  )}
                  <Group justify="space-between" gap="sm" mb="lg">
                    <SearchField key={`search ${cog.id}`} folder={cog} q={q} />
                    <Group gap="xs" wrap="nowrap">
                      {!isOfTest && (
                        <Suspense>
                          <FolderRunsButton folder={cog} />
                        </Suspense>
                      )}
                      <ViewTools sort={q ? undefined : sort} onSort={setSort} />
                    </Group>
                  </Group>
                  <Listing
                    key={`${cog.id} ${q !== ''}`}
                    {...{ folder: cog, isOfTest, sort, q, onSend: suggest }}
                    ref={list}
                  />
                </DropZone>
              )}
            </FolderMenu>
          );
        }}
      </Await>
    </Screen>
  );
}

const whatIsOfTest = t`Results of a test, in no other folder. They are removed 24 hours after the run has ended: move or copy elsewhere what you want to keep.`;

/** What is added to results of a test would be lost with them, also in folders within. */
const withoutAdding = (cog: Cog): Cog => ({ ...cog, access: { ...cog.access, can_upload: false } });

const isRefused = (error: unknown) =>
  error instanceof ApiError && (error.status === 403 || error.status === 404);

function useSetSort() {
  const navigate = useNavigate();
  return (sort: string) =>
    void navigate({
      to: '.',
      search: (old) => ({ ...old, sort: sort as Sort }),
      replace: true,
    });
}

function SearchField({ folder, q }: { folder: Cog; q: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(q);
  const asked = useRef(q);
  const search = useDebouncedCallback((wanted: string) => {
    asked.current = wanted.trim();
    void navigate({
      to: '.',
      search: (old) => ({ ...old, q: wanted.trim() || undefined }),
      replace: true,
    });
  }, 250);
  // By a link or the browser's buttons; what was typed here may be ahead of the address.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address counts
  useEffect(() => {
    if (q === asked.current) return;
    asked.current = q;
    search.cancel();
    setText(q);
  }, [q]);
  return (
    <TextInput
      type="search"
      aria-label={t`Search in ${nameOfFolder(folder)}`}
      placeholder={t`Search in ${nameOfFolder(folder)}`}
      leftSection={<IconSearch size={16} />}
      flex="1 1 200px"
      maw={360}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}

type ListingProps = {
  folder: Cog;
  isOfTest: boolean;
  sort: Sort;
  q: string;
  onSend: () => void;
  ref: Ref<ListHandle>;
};

function Listing({ folder, isOfTest, sort, q, onSend, ref }: ListingProps) {
  const setSort = useSetSort();
  const children = useChildren(q ? undefined : folder.id, sort);
  const found = useSearch(q, folder.cog_type === 'master_folder' ? undefined : folder.id);
  const list: UseInfiniteQueryResult<Rows<PlacedCog>> = q ? found : children;
  return (
    <ListView
      ref={ref}
      list={list}
      columns={q ? placedColumns : fileColumns}
      empty={q ? <NothingFound q={q} /> : <NothingYet {...{ folder, isOfTest, onSend }} />}
      {...(q ? {} : { sort, onSort: setSort })}
    />
  );
}

const NothingFound = ({ q }: { q: string }) => (
  <Empty
    icon={<IconZoomExclamation size={30} stroke={1.5} />}
    title={t`Nothing is called “${q}”`}
    action={
      <ButtonLink to="." search={(old) => ({ ...old, q: undefined })} variant="default">
        <Trans>End the search</Trans>
      </ButtonLink>
    }
  >
    <Trans>Search looks for a part of the name, in this folder and all below it.</Trans>
  </Empty>
);

type NothingProps = Pick<ListingProps, 'folder' | 'isOfTest' | 'onSend'>;

const NothingYet = ({ folder, isOfTest, onSend }: NothingProps) => (
  <Empty
    icon={<IconFolderOpen size={30} stroke={1.5} />}
    title={t`This folder is empty`}
    action={
      folder.access.can_upload && (
        <>
          {folder.cog_type === 'master_folder' && (
            <ButtonLink to="/start" variant="light" leftSection={<IconPlayerPlay size={17} />}>
              <Trans>Try it on samples</Trans>
            </ButtonLink>
          )}
          <NewMenu folder={folder} onSend={onSend} />
        </>
      )
    }
  >
    {isOfTest
      ? t`The results were moved elsewhere, or there were none.`
      : folder.access.can_upload
        ? t`Drag files and folders anywhere onto this page, or choose them. Then run a workflow on them.`
        : t`You may see this folder, but not add to it.`}
  </Empty>
);
