/** Trash: what was deleted, by whom and from where, to be restored or deleted for ever. */

import type { TrashedCog } from '@cogworks/sdk/contract.gen';
import { nextName } from '@cogworks/sdk/next-name';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useCommands } from '../../commands/use-commands.ts';
import { NameDialog } from '../../name-dialog.tsx';
import { useMe, useNames } from '../../people.ts';
import { Await } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/empty.tsx';
import { notYet } from '../../ui/rows/actions.ts';
import { commandsFor } from '../../ui/rows/row-commands.ts';
import { RowTable } from '../../ui/rows/row-table.tsx';
import { useSelection } from '../../ui/rows/selection.ts';
import { SelectionBar } from '../../ui/rows/selection-bar.tsx';
import type { More } from '../../ui/rows/virtual-rows.ts';
import { Screen } from '../../ui/screen.tsx';
import { PlacesMenu } from './places-menu.tsx';
import { moreOf, rowsOf } from './queries.ts';
import { RestoreTakenDialog } from './restore-taken-dialog.tsx';
import { type TrashAction, trashActions } from './trash-actions.ts';
import { useEmptyTrash, usePurge, useRestore, useTrash } from './trash-changes.ts';
import { trashColumns } from './trash-columns.tsx';

export function TrashScreen() {
  const trash = useTrash();
  const { data: me } = useMe();
  const [isEmptying, setEmptying] = useState(false);
  const empty = useEmptyTrash();
  const isEmpty = trash.data?.pages[0]?.rows.length === 0;
  const close = () => {
    setEmptying(false);
    empty.reset();
  };
  return (
    <Screen
      title={t`Trash`}
      description={t`What is deleted stays here for 30 days.`}
      actions={
        trash.data &&
        !isEmpty && (
          <Button variant="default" onClick={() => setEmptying(true)}>
            <Trans>Empty the trash</Trans>
          </Button>
        )
      }
    >
      <PlacesMenu />
      <Await query={{ ...trash, error: trash.isFetchNextPageError ? null : trash.error }}>
        {(data) => {
          const rows = rowsOf(data);
          if (rows.length === 0) return <NothingDeleted />;
          return <TrashList rows={rows} {...moreOf(trash)} />;
        }}
      </Await>
      <Confirm
        opened={isEmptying}
        title={t`Empty the trash`}
        verb={t`Delete for ever`}
        isBusy={empty.isPending}
        error={empty.error}
        onConfirm={() => empty.mutate(undefined, { onSuccess: close })}
        onClose={close}
      >
        {me?.role === 'admin'
          ? t`Everything that anybody here has deleted is deleted for ever.`
          : t`Everything in the trash that belongs to you is deleted for ever.`}{' '}
        <Trans>This cannot be undone.</Trans>
      </Confirm>
    </Screen>
  );
}

type ListProps = More & { rows: readonly TrashedCog[] };

function TrashList({ rows, ...more }: ListProps) {
  const { data: me } = useMe();
  const nameOf = useNames();
  const selection = useSelection(rows, more);
  const [purging, setPurging] = useState<readonly TrashedCog[]>([]);
  const [restore, purge] = [useRestore(), usePurge()];
  const isIncomplete = selection.rest === 'loading';
  const actions = useMemo(() => {
    const all = trashActions(me);
    return isIncomplete ? notYet(all) : all;
  }, [me, isIncomplete]);
  const columns = useMemo(() => trashColumns(nameOf), [nameOf]);
  const act = (kind: TrashAction, cogs: readonly TrashedCog[]) =>
    kind === 'restore' ? restore.all(cogs) : setPurging(cogs);
  const close = () => {
    setPurging([]);
    purge.reset();
  };
  const { asked } = restore;
  useCommands(commandsFor(actions, selection.chosen, act));
  return (
    <>
      <RowTable
        {...more}
        rows={rows}
        columns={columns}
        selection={selection}
        actions={actions}
        onAction={act}
        onOpen={(cog) => restore.all([cog])}
      />
      <SelectionBar
        selection={selection}
        actions={actions}
        usual={['purge']}
        main="restore"
        onAction={act}
      />
      {asked && !asked.isOne && (
        <RestoreTakenDialog
          cogs={asked.cogs}
          isBusy={asked.isBusy}
          onKeepBoth={asked.keepBoth}
          onClose={asked.leave}
        />
      )}
      {asked?.isOne && (
        <NameDialog
          key={asked.cog.id}
          opened
          title={t`“${asked.cog.name}” is taken: restore it as`}
          verb={t`Restore`}
          name={nextName(asked.cog.name)}
          isUnchangedAllowed
          isBusy={asked.isBusy}
          error={asked.error}
          onSubmit={asked.retry}
          onClose={asked.leave}
        />
      )}
      <Confirm
        opened={purging.length > 0}
        title={t`Delete for ever`}
        verb={t`Delete for ever`}
        isBusy={purge.isPending}
        error={purge.error}
        onConfirm={() => purge.mutate(purging, { onSuccess: close })}
        onClose={close}
      >
        {purgeWords(purging)} <Trans>This cannot be undone.</Trans>
      </Confirm>
    </>
  );
}

function purgeWords(cogs: readonly TrashedCog[]): string {
  const [only] = cogs;
  if (cogs.length === 1 && only) {
    return t`“${only.name}” is deleted for ever, with everything inside.`;
  }
  return plural(cogs.length, {
    one: '# item is deleted for ever, with everything inside.',
    other: '# items are deleted for ever, with everything inside.',
  });
}

const NothingDeleted = () => (
  <Empty icon={<IconTrash size={30} stroke={1.5} />} title={t`The trash is empty`}>
    <Trans>Files and folders that are deleted come here, and can be restored for 30 days.</Trans>
  </Empty>
);
