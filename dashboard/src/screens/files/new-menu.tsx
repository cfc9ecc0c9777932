/** What can be added to a folder: files from this computer, and a new folder. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, FileButton, Menu } from '@mantine/core';
import { IconChevronDown, IconFolderPlus, IconFolderUp, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useCommands } from '../../commands/use-commands.ts';
import { LoadedDialog } from '../../ui/loaded-dialog.tsx';
import { anyFile, chooseFiles, wholeFolder } from './file-input.ts';
import { NewFolderDialog } from './loaded-later.ts';
import classes from './new-menu.module.css';
import { sendChosen } from './send-files.ts';

type Props = {
  folder: Cog;
  /** Called before chosen files are sent. */
  onSend?: () => void;
};

export function NewMenu({ folder, onSend }: Props) {
  const [isNaming, setNaming] = useState(false);
  const mayAdd = folder.access.can_upload;
  const send = (files: File[]) => {
    if (files.length > 0) onSend?.();
    sendChosen(folder.id, files);
  };
  const reason = mayAdd ? undefined : t`You may not add to this folder`;
  useCommands([
    {
      ...{ id: 'upload', label: t`Upload`, words: t`add files`, icon: IconUpload, reason },
      run: () => chooseFiles(send),
    },
    {
      ...{ id: 'upload folder', label: t`Upload a folder`, icon: IconFolderUp, reason },
      run: () => chooseFiles(send, { isFolder: true }),
    },
    {
      ...{ id: 'new folder', label: t`New folder`, words: t`create`, icon: IconFolderPlus, reason },
      run: () => setNaming(true),
    },
  ]);
  if (!mayAdd) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFolderPlus size={17} />}
        onClick={() => setNaming(true)}
      >
        <Trans>New folder</Trans>
      </Button>
      <div className={classes.pair}>
        <FileButton multiple inputProps={anyFile} onChange={send}>
          {(props) => (
            <Button {...props} className={classes.main} leftSection={<IconUpload size={17} />}>
              <Trans>Upload</Trans>
            </Button>
          )}
        </FileButton>
        <FolderButton onFiles={send} />
      </div>
      {isNaming && (
        <LoadedDialog onClose={() => setNaming(false)}>
          <NewFolderDialog opened folder={folder} onClose={() => setNaming(false)} />
        </LoadedDialog>
      )}
    </>
  );
}

/** Around the menu, so that its input is still there when the menu has closed. */
function FolderButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  return (
    <FileButton multiple onChange={onFiles} inputProps={wholeFolder}>
      {({ onClick }) => (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button className={classes.more} aria-label={t`More ways to upload`}>
              <IconChevronDown size={17} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconFolderUp size={17} />} onClick={onClick}>
              <Trans>Upload a folder</Trans>
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </FileButton>
  );
}
