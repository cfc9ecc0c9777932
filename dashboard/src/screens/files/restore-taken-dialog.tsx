/** Asks once what to do with all items that cannot be restored under their names. */
import type { TrashedCog } from '@cogworks/sdk/contract.gen';
import { Button, Group, Text } from '@mantine/core';
import { Dialog } from '../../ui/dialog.tsx';
import { plural } from '../../ui/format.ts';
import { FewNames } from './few-names.tsx';

type Props = {
  cogs: readonly TrashedCog[];
  isBusy: boolean;
  onKeepBoth: () => void;
  /** They stay in the trash. */
  onClose: () => void;
};

export function RestoreTakenDialog({ cogs, isBusy, onKeepBoth, onClose }: Props) {
  return (
    <Dialog
      opened
      title={`The names of ${plural(cogs.length, 'item')} are taken`}
      onClose={onClose}
    >
      <FewNames names={cogs.map(({ id, name }) => ({ id, name }))} />
      <Text size="sm" c="dimmed">
        Keeping both gives the restored items numbers.
      </Text>
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" onClick={onClose}>
          Leave in the trash
        </Button>
        <Button loading={isBusy} onClick={onKeepBoth} data-autofocus>
          Keep both
        </Button>
      </Group>
    </Dialog>
  );
}
