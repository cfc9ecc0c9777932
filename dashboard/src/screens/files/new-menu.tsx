/** What can be added to a folder: files from this computer, and a new folder. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { Button, FileButton, Menu } from '@mantine/core';
import { IconChevronDown, IconFolderPlus, IconFolderUp, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useCreateFolder } from './changes.ts';
import { anyFile, wholeFolder } from './file-input.ts';
import { NameDialog } from './name-dialog.tsx';
import classes from './new-menu.module.css';
import { uploads } from './uploads.ts';

export function NewMenu({ folder }: { folder: Cog }) {
  const [isNaming, setNaming] = useState(false);
  const create = useCreateFolder(folder.id);
  if (!folder.access.can_upload) return null;

  const close = () => {
    setNaming(false);
    create.reset();
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFolderPlus size={17} />}
        onClick={() => setNaming(true)}
      >
        New folder
      </Button>
      <div className={classes.pair}>
        <FileButton
          multiple
          inputProps={anyFile}
          onChange={(files) => uploads.add(folder.id, files)}
        >
          {(props) => (
            <Button {...props} className={classes.main} leftSection={<IconUpload size={17} />}>
              Upload
            </Button>
          )}
        </FileButton>
        <FolderButton onFiles={(files) => uploads.add(folder.id, files)} />
      </div>
      <NameDialog
        opened={isNaming}
        title="New folder"
        verb="Create"
        name=""
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(name) => create.mutate(name, { onSuccess: close })}
        onClose={close}
      />
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
            <Button className={classes.more} aria-label="More ways to upload">
              <IconChevronDown size={17} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconFolderUp size={17} />} onClick={onClick}>
              Upload a folder
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </FileButton>
  );
}
