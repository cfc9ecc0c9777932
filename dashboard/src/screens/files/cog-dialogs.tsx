/** Dialogs about files and folders, one for each action that asks first. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { isFolder } from '../../cogs.ts';
import { LoadedDialog } from '../../ui/loaded-dialog.tsx';
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
  <LoadedDialog onClose={props.onClose}>
    <AskedDialog {...props} />
  </LoadedDialog>
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
          title={t`Rename “${first.name}”`}
          verb={t`Rename`}
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
          kind={asked.kind}
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
          title={others.length === 0 ? t`Delete this item` : t`Delete these items`}
          verb={t`Delete`}
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

const whatIsDeleted = (cogs: readonly Cog[]) =>
  `${goesToTrash(cogs)} ${t`Everyone else loses access, also if it is restored later.`}`;

function goesToTrash(cogs: readonly Cog[]): string {
  const [only] = cogs;
  if (cogs.length !== 1 || !only) {
    return plural(cogs.length, {
      one: '# item goes to the trash for 30 days.',
      other: '# items go to the trash for 30 days.',
    });
  }
  const { name } = only;
  return isFolder(only)
    ? t`The folder “${name}” and everything in it goes to the trash for 30 days.`
    : t`“${name}” goes to the trash for 30 days.`;
}
