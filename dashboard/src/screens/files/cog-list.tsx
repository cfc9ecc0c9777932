/** A list of files and folders with everything that can be done with them. */

import type { PlacedCog } from '@cogworks/sdk/contract.gen';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useDownload } from '../../downloads.ts';
import { RowTable, type TableProps } from '../../ui/rows/row-table.tsx';
import { SelectionBar } from '../../ui/rows/selection-bar.tsx';
import { useMoveByDrag } from './changes.ts';
import { type Asked, CogDialogs } from './cog-dialogs.tsx';
import { dragOfFiles } from './drag.ts';
import { type FileAction, fileActions } from './file-actions.ts';
import { isFolder } from './queries.ts';

type Table = TableProps<PlacedCog, FileAction>;
type Props = Pick<
  Table,
  'rows' | 'columns' | 'sort' | 'onSort' | 'hasMore' | 'isLoadingMore' | 'onMore'
>;

export function CogList(props: Props) {
  const { rows } = props;
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [asked, setAsked] = useState<Asked>();
  const download = useDownload();
  const move = useMoveByDrag();
  const chosen = useMemo(
    () => (selected.size === 0 ? [] : rows.filter((cog) => selected.has(cog.id))),
    [rows, selected],
  );
  const unselect = () => setSelected(new Set());

  const act = (kind: FileAction, cogs: readonly PlacedCog[]) => {
    if (kind === 'download') return download.mutate(cogs);
    if (kind === 'run') {
      const files = cogs.map(({ id }) => id).join(',');
      return void navigate({ to: '/runs/new', search: { files } });
    }
    setAsked({ kind, cogs });
  };
  const open = (cog: PlacedCog) => {
    if (!isFolder(cog)) return act('details', [cog]);
    void navigate({ to: '/files/$folderId', params: { folderId: String(cog.id) }, search: {} });
  };
  return (
    <>
      <RowTable
        {...props}
        selected={selected}
        onSelect={setSelected}
        actions={fileActions}
        onAction={act}
        onOpen={open}
        drag={dragOfFiles(move)}
      />
      <SelectionBar
        chosen={chosen}
        actions={fileActions}
        usual={['share', 'download', 'move', 'delete']}
        main="run"
        onAction={act}
        onClear={unselect}
      />
      <CogDialogs
        asked={asked}
        onClose={() => setAsked(undefined)}
        onDownload={(cogs) => download.mutate(cogs)}
        onGone={unselect}
      />
    </>
  );
}
