/** In the head of a folder: whether something runs on its new files. Its dialog is loaded on demand. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { nameOfFolder } from '../cogs.ts';
import { LoadedDialog } from '../ui/loaded-dialog.tsx';
import { useTriggers } from './queries.ts';

const loadDialog = () => import('./folder-runs-dialog.tsx');
const FolderRunsDialog = lazy(async () => ({ default: (await loadDialog()).FolderRunsDialog }));

export function FolderRunsButton({ folder }: { folder: Cog }) {
  const [isOpen, setOpen] = useState(false);
  const triggers = useTriggers({ folder_id: folder.id });
  const isOn = triggers.data?.some(({ type, enabled }) => type === 'folder' && enabled) ?? false;
  const name = nameOfFolder(folder);
  const label = isOn ? t`Workflows run on new files` : t`Run a workflow on new files`;
  return (
    <>
      <Tooltip label={label}>
        <ActionIcon
          variant={isOn ? 'light' : 'default'}
          color={isOn ? 'petrol' : 'gray'}
          size={36}
          aria-label={
            isOn
              ? t`Workflows run on new files in ${name}`
              : t`Run a workflow on new files in ${name}`
          }
          onPointerEnter={() => void loadDialog().catch(() => {})}
          onClick={() => setOpen(true)}
        >
          <IconBolt size={18} />
        </ActionIcon>
      </Tooltip>
      {isOpen && (
        <LoadedDialog onClose={() => setOpen(false)}>
          <FolderRunsDialog folder={folder} onClose={() => setOpen(false)} />
        </LoadedDialog>
      )}
    </>
  );
}
