/** Asks for the name of a new folder, and makes it. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { NameDialog } from '../../name-dialog.tsx';
import { useCreateFolder } from './changes.ts';

type Props = {
  /** The one that it is made in. */
  folder: Cog | undefined;
  title?: string;
  opened: boolean;
  onCreated?: (made: Cog) => void;
  onClose: () => void;
};

export function NewFolderDialog(props: Props) {
  const { folder, title = t`New folder`, opened, onCreated, onClose } = props;
  const create = useCreateFolder(folder?.id ?? 0);
  const close = () => {
    onClose();
    create.reset();
  };
  return (
    <NameDialog
      opened={opened}
      title={title}
      verb={t`Create`}
      name=""
      isBusy={create.isPending}
      error={create.error}
      onSubmit={(name) =>
        create.mutate(name, {
          onSuccess: (made) => {
            close();
            onCreated?.(made);
          },
        })
      }
      onClose={close}
    />
  );
}
