/** Moves or copies files and folders into a folder of the tree, or into a new one. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { IconFolderPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { isFolder, nameOfFolder } from '../../cogs.ts';
import { FolderTree } from '../../folders/folder-tree.tsx';
import { useFolderTree } from '../../folders/folder-tree-data.ts';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useCopy, useMove } from './changes.ts';
import { NewFolderDialog } from './new-folder-dialog.tsx';

type Kind = 'move' | 'copy';

const submitLabels = { move: t`Move here`, copy: t`Copy here` };

type Props = {
  kind: Kind;
  first: Cog;
  /** All of them, the first included. */
  cogs: readonly Cog[];
  onClose: () => void;
  onDone: () => void;
};

export function FolderDialog({ kind, first, cogs, onClose, onDone }: Props) {
  const data = useFolderTree(first);
  const [chosen, setChosen] = useState<Cog>();
  const closedIds = useMemo(() => new Set(cogs.filter(isFolder).map(({ id }) => id)), [cogs]);
  const [move, copy] = [useMove(), useCopy()];
  const change = kind === 'move' ? move : copy;
  const hindrance = chosen && whyNot(cogs, chosen, kind);
  const isReady = chosen !== undefined && hindrance === undefined;
  const submit = () => {
    if (isReady && !change.isPending) {
      change.mutate({ cogs, folder: chosen }, { onSuccess: onDone });
    }
  };
  return (
    <Dialog opened onClose={onClose} title={titleOf(kind, cogs.length, first.name)}>
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
            <Trans>Cancel</Trans>
          </Button>
          <Button disabled={!isReady} loading={change.isPending} onClick={submit}>
            {submitLabels[kind]}
          </Button>
        </Group>
      </Group>
    </Dialog>
  );
}

function titleOf(kind: Kind, count: number, name: string): string {
  if (kind === 'move') {
    return count === 1
      ? t`Move “${name}”`
      : plural(count, { one: 'Move # item', other: 'Move # items' });
  }
  return count === 1
    ? t`Copy “${name}”`
    : plural(count, { one: 'Copy # item', other: 'Copy # items' });
}

/** Why these cannot be put into the folder, as far as it is known without asking. */
function whyNot(cogs: readonly Cog[], folder: Cog, kind: Kind): string | undefined {
  if (cogs.some(({ id }) => id === folder.id)) return t`A folder cannot be put into itself.`;
  if (kind === 'move' && cogs.every(({ parent_id }) => parent_id === folder.id)) {
    return cogs.length === 1 ? t`It is in this folder now.` : t`They are in this folder now.`;
  }
  return folder.access.can_upload ? undefined : t`You may not add to this folder.`;
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
        <Trans>New folder</Trans>
      </Button>
      <NewFolderDialog
        folder={folder}
        {...(folder && { title: t`New folder in “${nameOfFolder(folder)}”` })}
        opened={isNaming}
        onCreated={onCreated}
        onClose={() => setNaming(false)}
      />
    </>
  );
}
