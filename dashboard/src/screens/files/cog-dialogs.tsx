/** Dialogs about files and folders, one for each action that asks first. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { FileIcon } from '../../ui/file-icon.tsx';
import { formatExactly, formatSize, plural } from '../../ui/format.ts';
import { useDelete, useRename } from './changes.ts';
import type { FileAction } from './file-actions.ts';
import { FolderDialog } from './folder-dialog.tsx';
import { NameDialog } from './name-dialog.tsx';
import { isFolder } from './queries.ts';
import { ShareDialog } from './sharing/share-dialog.tsx';

export type Asked = { kind: FileAction; cogs: readonly Cog[] };

type Props = {
  asked: Asked | undefined;
  onClose: () => void;
  onDownload: (cogs: readonly Cog[]) => void;
  /** The cogs are no longer where they were. */
  onGone: () => void;
};

export function CogDialogs({ asked, onClose, onDownload, onGone }: Props) {
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
    case 'details':
      return <Details cog={first} onClose={close} onDownload={() => onDownload([first])} />;
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

type DetailsProps = { cog: Cog; onClose: () => void; onDownload: () => void };

function Details({ cog, onClose, onDownload }: DetailsProps) {
  return (
    <Dialog
      opened
      onClose={onClose}
      size="lg"
      title={
        <Group gap="sm" wrap="nowrap">
          <FileIcon isFolder={false} mime_type={cog.mime_type} />
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {cog.name}
          </Text>
        </Group>
      }
    >
      <Facts
        facts={[
          ['Type', cog.mime_type],
          [
            'Size',
            cog.size_bytes === undefined
              ? undefined
              : `${formatSize(cog.size_bytes)} (${plural(cog.size_bytes, 'byte')})`,
          ],
          ['Version', cog.version],
          ['Created', formatExactly(cog.created_at)],
          ['Changed', formatExactly(cog.updated_at)],
          ['SHA-256', cog.checksum_sha256 && <code>{cog.checksum_sha256}</code>],
          ['ID', <code key="id">{cog.id}</code>],
        ]}
      />
      <Group justify="flex-end" mt="lg">
        <Button leftSection={<IconDownload size={17} />} onClick={onDownload} data-autofocus>
          Download
        </Button>
      </Group>
    </Dialog>
  );
}
