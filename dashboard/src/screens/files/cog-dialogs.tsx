/** Dialogs about files: rename, delete, and details. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { FileIcon } from '../../ui/file-icon.tsx';
import { formatExactly, formatSize, plural } from '../../ui/format.ts';
import { NameDialog } from './name-dialog.tsx';
import { isFolder, useDelete, useRename } from './queries.ts';

export type ActionKind = 'rename' | 'delete' | 'details';
export type Action = { kind: ActionKind; cogs: readonly Cog[] };

type Props = {
  action: Action | undefined;
  onClose: () => void;
  onDownload: (cogs: readonly Cog[]) => void;
  onDeleted: () => void;
};

export function CogDialogs({ action, onClose, onDownload, onDeleted }: Props) {
  const rename = useRename();
  const remove = useDelete();
  const [first] = action?.cogs ?? [];
  const close = () => {
    onClose();
    rename.reset();
    remove.reset();
  };
  const done = () => {
    close();
    onDeleted();
  };
  return (
    <>
      {first && action?.kind === 'rename' && (
        <NameDialog
          opened
          title={`Rename “${first.name}”`}
          verb="Rename"
          name={first.name}
          isBusy={rename.isPending}
          error={rename.error}
          onSubmit={(name) => rename.mutate({ id: first.id, name }, { onSuccess: close })}
          onClose={close}
        />
      )}
      {action?.kind === 'delete' && (
        <Confirm
          opened
          title={action.cogs.length === 1 ? 'Delete this item' : 'Delete these items'}
          verb="Delete"
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(action.cogs, { onSuccess: done })}
          onClose={close}
        >
          {whatIsDeleted(action.cogs)} Everyone loses access.
        </Confirm>
      )}
      {first && action?.kind === 'details' && (
        <Details cog={first} onClose={close} onDownload={() => onDownload([first])} />
      )}
    </>
  );
}

function whatIsDeleted(cogs: readonly Cog[]) {
  const [only] = cogs;
  if (cogs.length !== 1 || !only) return `${plural(cogs.length, 'item')} will be deleted.`;
  return isFolder(only)
    ? `The folder “${only.name}” and everything in it will be deleted.`
    : `“${only.name}” will be deleted.`;
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
