/** What can be added to a folder: files from this computer, and a new folder. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { Button, FileButton } from '@mantine/core';
import { IconFolderPlus, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useCreateFolder } from './changes.ts';
import { NameDialog } from './name-dialog.tsx';
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
      <FileButton multiple onChange={(files) => uploads.add(folder.id, files)}>
        {(props) => (
          <Button {...props} leftSection={<IconUpload size={17} />}>
            Upload
          </Button>
        )}
      </FileButton>
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
