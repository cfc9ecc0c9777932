/** A list of files and folders with everything that can be done with them. */

import type { PlacedCog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { useNavigate } from '@tanstack/react-router';
import { type Ref, Suspense, useImperativeHandle, useMemo, useState } from 'react';
import { isFolder } from '../../cogs.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { useDownload } from '../../downloads.ts';
import { Tile } from '../../preview/picture.tsx';
import { withRunFiles } from '../../run-files.ts';
import { LoadedDialog } from '../../ui/loaded-dialog.tsx';
import { notYet } from '../../ui/rows/actions.ts';
import { commandsFor } from '../../ui/rows/row-commands.ts';
import { RowGrid } from '../../ui/rows/row-grid.tsx';
import { RowTable, type TableProps } from '../../ui/rows/row-table.tsx';
import { useSelection } from '../../ui/rows/selection.ts';
import { SelectionBar } from '../../ui/rows/selection-bar.tsx';
import type { More } from '../../ui/rows/virtual-rows.ts';
import classes from './beside.module.css';
import { useMoveByDrag } from './changes.ts';
import { type Asked, CogDialogs } from './cog-dialogs.tsx';
import { dragOfFiles } from './drag.ts';
import { type FileAction, fileActions } from './file-actions.ts';
import { CogName } from './file-columns.tsx';
import { DetailsPanel, FullPreview, useLoadedLater } from './loaded-later.ts';
import { sendDropped } from './send-files.ts';
import { useShown } from './shown-cog.ts';
import { useFileView } from './view-tools.tsx';

type Table = TableProps<PlacedCog, FileAction>;
/** What the screen around a list may have it do. */
export type ListHandle = { chooseAll: () => void };

type Props = Pick<Table, 'rows' | 'columns' | 'sort' | 'onSort' | keyof More> & {
  ref?: Ref<ListHandle> | undefined;
};

export function CogList({ ref, ...props }: Props) {
  const { rows, columns } = props;
  const navigate = useNavigate();
  const selection = useSelection(rows, props);
  useImperativeHandle(ref, () => ({ chooseAll: selection.onSelectAll }));
  const [asked, setAsked] = useState<Asked>();
  const [details, preview] = [useShown('details', rows), useShown('preview', rows)];
  const { view } = useFileView();
  useLoadedLater();
  const download = useDownload();
  const move = useMoveByDrag();
  const isIncomplete = selection.rest === 'loading';
  const actions = useMemo(() => (isIncomplete ? notYet(fileActions) : fileActions), [isIncomplete]);

  const act = (kind: FileAction, cogs: readonly PlacedCog[]) => {
    if (kind === 'download') return download.mutate(cogs);
    if (kind === 'details') return details.show(cogs[0]);
    if (kind === 'origin') return details.show(cogs[0], 'origin');
    if (kind === 'run') {
      return void navigate({ to: '/runs/new', ...withRunFiles(cogs.map(({ id }) => id)) });
    }
    setAsked({ kind, cogs });
  };
  useCommands(commandsFor(actions, selection.chosen, act));
  const open = (cog: PlacedCog) => {
    if (!isFolder(cog)) return preview.show(cog);
    void navigate({ to: '/files/$folderId', params: { folderId: String(cog.id) }, search: {} });
  };
  const select = (next: ReadonlySet<number>) => {
    selection.onSelect(next);
    const [only] = next.size === 1 ? next : [];
    const cog = only === undefined ? undefined : rows.find(({ id }) => id === only);
    if (details.cog && cog) details.show(cog);
  };
  const list = {
    ...props,
    selection: { ...selection, onSelect: select },
    actions,
    onAction: (kind: FileAction, cogs: readonly PlacedCog[]) =>
      // The same key closes them.
      kind === 'details' && cogs[0]?.id === details.cog?.id
        ? details.show(undefined)
        : act(kind, cogs),
    onOpen: open,
    opensByDoubleClick: true,
    shownId: details.cog?.id,
    ...(!isIncomplete && {
      drag: dragOfFiles(move, (folder, files) => sendDropped(folder.id, files)),
    }),
  };
  const isOpen = details.cog !== undefined;
  return (
    <>
      <div className={classes.sides} data-open={isOpen || undefined}>
        <div>
          {view === 'grid' ? (
            <RowGrid
              {...list}
              label={t`Files`}
              picture={(cog) => <Tile cog={cog} />}
              name={(cog, onOpen) => <CogName cog={cog} onOpen={onOpen} />}
            />
          ) : (
            // Beside the details there is room for two columns.
            <RowTable {...list} columns={isOpen ? columns.slice(0, 2) : columns} />
          )}
        </div>
        {details.cog && (
          <Suspense>
            <DetailsPanel
              cog={details.cog}
              onAction={(kind) =>
                details.cog &&
                (kind === 'preview' ? preview.show(details.cog) : act(kind, [details.cog]))
              }
              onClose={() => details.show(undefined)}
            />
          </Suspense>
        )}
      </div>
      <SelectionBar
        selection={selection}
        actions={actions}
        usual={['share', 'download', 'move', 'delete']}
        main="run"
        onAction={act}
      />
      <FilePreview rows={rows} preview={preview} onAction={act} />
      <CogDialogs
        asked={asked}
        onClose={() => setAsked(undefined)}
        onGone={() => selection.onSelect(new Set())}
      />
    </>
  );
}

type PreviewProps = {
  rows: readonly PlacedCog[];
  preview: ReturnType<typeof useShown>;
  onAction: (kind: FileAction, cogs: readonly PlacedCog[]) => void;
};

function FilePreview({ rows, preview, onAction }: PreviewProps) {
  const { cog, show } = preview;
  const files = useMemo(() => (cog ? rows.filter((row) => !isFolder(row)) : []), [rows, cog]);
  if (!cog) return null;
  return (
    <LoadedDialog onClose={() => show(undefined)}>
      <FullPreview
        cog={cog}
        files={files}
        onShow={show}
        onAction={(kind) => onAction(kind, [cog])}
        onClose={() => show(undefined)}
      />
    </LoadedDialog>
  );
}
