/** Dialogs about files and folders, one for each action that asks first. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { Suspense } from 'react';
import { isFolder } from '../../cogs.ts';
import { plural } from '../../ui/format.ts';
import { useDelete, useRename } from './changes.ts';
import type { FileAction } from './file-actions.ts';
import { Confirm, FolderDialog, NameDialog, ShareDialog } from './loaded-later.ts';

export type Asked = { kind: FileAction; cogs: readonly Cog[] };

type Props = {
  asked: Asked | undefined;
  onClose: () => void;
  /** The cogs are no longer where they were. */
  onGone: () => void;
};

export const CogDialogs = (props: Props) => (
  <Suspense>
    <AskedDialog {...props} />
  </Suspense>
);

function AskedDialog({ asked, onClose, onGone }: Props) {
  const rename = useRename();
  const remove = useDelete();
  const [first, ...others] = asked?.cogs ?? [];
  if (!asked || !first) return null;

  const close = () => {
    onClose();
    rename.reset();
    remove.reset();
  };
  const gone = () => {
    close();
    onGone();
  };
  switch (asked.kind) {
    case 'rename':
      return (
        <NameDialog
          opened
          title={`Rename “${first.name}”`}
          verb="Rename"
          name={first.name}
          isBusy={rename.isPending}
          error={rename.error}
          onSubmit={(name) => rename.mutate({ cog: first, name }, { onSuccess: close })}
          onClose={close}
        />
      );
    case 'move':
    case 'copy':
      return (
        <FolderDialog
          verb={asked.kind === 'move' ? 'Move' : 'Copy'}
          first={first}
          cogs={asked.cogs}
          onClose={close}
          onDone={gone}
        />
      );
    case 'share':
      return <ShareDialog cog={first} onClose={close} />;
    case 'delete':
      return (
        <Confirm
          opened
          title={others.length === 0 ? 'Delete this item' : 'Delete these items'}
          verb="Delete"
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(asked.cogs, { onSuccess: gone })}
          onClose={close}
        >
          {whatIsDeleted(asked.cogs)}
        </Confirm>
      );
    default:
      return null;
  }
}

function whatIsDeleted(cogs: readonly Cog[]) {
  const [only] = cogs;
  const what =
    cogs.length !== 1 || !only
      ? plural(cogs.length, 'item')
      : isFolder(only)
        ? `The folder “${only.name}” and everything in it`
        : `“${only.name}”`;
  const verb = cogs.length === 1 ? 'goes' : 'go';
  return `${what} ${verb} to the trash for 30 days. Everyone else loses access, also if it is restored later.`;
}
