/** A list of files and folders with everything that can be done with them. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDownload } from '../../downloads.ts';
import type { ActionKind } from './actions.ts';
import { useMoveByDrag } from './changes.ts';
import { type Asked, CogDialogs } from './cog-dialogs.tsx';
import { FileTable, type TableProps } from './file-table.tsx';
import { isFolder } from './queries.ts';
import { SelectionBar } from './selection-bar.tsx';

type Props = Pick<TableProps, 'rows' | 'sort' | 'onSort' | 'hasMore' | 'isLoadingMore' | 'onMore'>;

export function CogList(props: Props) {
  const { rows } = props;
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [asked, setAsked] = useState<Asked>();
  const download = useDownload();
  const chosen = rows.filter((cog) => selected.has(cog.id));
  const unselect = () => setSelected(new Set());

  const act = (kind: ActionKind, cogs: readonly Cog[]) => {
    if (kind === 'download') return download.mutate(cogs);
    if (kind === 'run') {
      const files = cogs.map(({ id }) => id).join(',');
      return void navigate({ to: '/runs/new', search: { files } });
    }
    setAsked({ kind, cogs });
  };
  const open = (cog: Cog) => {
    if (!isFolder(cog)) return act('details', [cog]);
    void navigate({ to: '/files/$folderId', params: { folderId: String(cog.id) }, search: {} });
  };
  const move = useMoveByDrag();
  return (
    <>
      <FileTable
        {...props}
        selected={selected}
        onSelect={setSelected}
        onOpen={open}
        onAction={act}
        onMove={move}
      />
      <SelectionBar chosen={chosen} onClear={unselect} onAction={act} />
      <CogDialogs
        asked={asked}
        onClose={() => setAsked(undefined)}
        onDownload={(cogs) => download.mutate(cogs)}
        onGone={unselect}
      />
    </>
  );
}
