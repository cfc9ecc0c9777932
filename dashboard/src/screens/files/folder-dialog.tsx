/** Moves or copies files and folders into a folder of the tree, or into a new one. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { Button, Group, Text } from '@mantine/core';
import { IconFolderPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { isFolder, nameOfFolder } from '../../cogs.ts';
import { FolderTree } from '../../folders/folder-tree.tsx';
import { useFolderTree } from '../../folders/folder-tree-data.ts';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { plural } from '../../ui/format.ts';
import { useCopy, useMove } from './changes.ts';
import { NewFolderDialog } from './new-folder-dialog.tsx';

type Props = {
  verb: 'Move' | 'Copy';
  first: Cog;
  /** All of them, the first included. */
  cogs: readonly Cog[];
  onClose: () => void;
  onDone: () => void;
};

export function FolderDialog({ verb, first, cogs, onClose, onDone }: Props) {
  const data = useFolderTree(first);
  const [chosen, setChosen] = useState<Cog>();
  const closedIds = useMemo(() => new Set(cogs.filter(isFolder).map(({ id }) => id)), [cogs]);
  const [move, copy] = [useMove(), useCopy()];
  const change = verb === 'Move' ? move : copy;
  const hindrance = chosen && whyNot(cogs, chosen, verb);
  const isReady = chosen !== undefined && hindrance === undefined;
  const submit = () => {
    if (isReady && !change.isPending) {
      change.mutate({ cogs, folder: chosen }, { onSuccess: onDone });
    }
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={
        cogs.length === 1 ? `${verb} “${first.name}”` : `${verb} ${plural(cogs.length, 'item')}`
      }
    >
      {change.error && <Problem error={change.error} />}
      <FolderTree
        data={data}
        onChoose={(folder) => {
          setChosen(folder);
          change.reset();
        }}
        onSubmit={submit}
        closedIds={closedIds}
      />
      <Text size="sm" c="var(--faint)" mt="xs" mih={22} aria-live="polite">
        {hindrance}
      </Text>
      <Group justify="space-between" mt="sm" gap="sm">
        <NewFolderIn folder={chosen} onCreated={data.add} />
        <Group gap="sm" ml="auto">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={!isReady} loading={change.isPending} onClick={submit}>
            {verb} here
          </Button>
        </Group>
      </Group>
    </Dialog>
  );
}

/** Why these cannot be put into the folder, as far as it is known without asking. */
function whyNot(cogs: readonly Cog[], folder: Cog, verb: Props['verb']): string | undefined {
  if (cogs.some(({ id }) => id === folder.id)) return 'A folder cannot be put into itself.';
  if (verb === 'Move' && cogs.every(({ parent_id }) => parent_id === folder.id)) {
    return cogs.length === 1 ? 'It is in this folder now.' : 'They are in this folder now.';
  }
  return folder.access.can_upload ? undefined : 'You may not add to this folder.';
}

type NewProps = { folder: Cog | undefined; onCreated: (folder: Cog) => void };

function NewFolderIn({ folder, onCreated }: NewProps) {
  const [isNaming, setNaming] = useState(false);
  return (
    <>
      <Button
        variant="subtle"
        px="xs"
        leftSection={<IconFolderPlus size={17} />}
        disabled={!folder?.access.can_upload}
        onClick={() => setNaming(true)}
      >
        New folder
      </Button>
      <NewFolderDialog
        folder={folder}
        {...(folder && { title: `New folder in “${nameOfFolder(folder)}”` })}
        opened={isNaming}
        onCreated={onCreated}
        onClose={() => setNaming(false)}
      />
    </>
  );
}
