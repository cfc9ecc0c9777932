/** Chooses a folder of the tree. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api.ts';
import { Await, LoadingRows } from '../ui/await.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FolderTree } from './folder-tree.tsx';
import { useFolderTree } from './folder-tree-data.ts';

type Props = {
  /** Where the tree starts: at the root unless given. */
  folderId: number | undefined;
  onChoose: (folder: Cog) => void;
  onClose: () => void;
};

export function FolderPicker({ folderId, onChoose, onClose }: Props) {
  const start = useQuery({
    queryKey: ['folder', folderId ?? 'root'],
    queryFn: () =>
      folderId === undefined ? api.getRootCog() : api.getCog({ path: { id: folderId } }),
  });
  return (
    <Dialog opened onClose={onClose} title={t`Choose a folder`}>
      <Await query={start} loading={<LoadingRows rows={4} />}>
        {(folder) => <Picking start={folder} onChoose={onChoose} onClose={onClose} />}
      </Await>
    </Dialog>
  );
}

type PickingProps = Omit<Props, 'folderId'> & { start: Cog };

const none: ReadonlySet<number> = new Set();

function Picking({ start, onChoose, onClose }: PickingProps) {
  const data = useFolderTree(start, true);
  const [chosen, setChosen] = useState<Cog>();
  const submit = () => chosen && onChoose(chosen);
  return (
    <>
      <FolderTree data={data} onChoose={setChosen} onSubmit={submit} closedIds={none} />
      <Group justify="flex-end" mt="md" gap="sm">
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button disabled={!chosen} onClick={submit}>
          <Trans>Choose</Trans>
        </Button>
      </Group>
    </>
  );
}
