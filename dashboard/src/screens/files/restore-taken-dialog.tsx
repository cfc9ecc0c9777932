/** Asks once what to do with all items that cannot be restored under their names. */
import type { TrashedCog } from '@cogworks/sdk/contract.gen';
import { plural } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { Dialog } from '../../ui/dialog.tsx';
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
      title={plural(cogs.length, {
        one: 'The name of # item is taken',
        other: 'The names of # items are taken',
      })}
      onClose={onClose}
    >
      <FewNames names={cogs.map(({ id, name }) => ({ id, name }))} />
      <Text size="sm" c="dimmed">
        <Trans>Keeping both gives the restored items numbers.</Trans>
      </Text>
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" onClick={onClose}>
          <Trans>Leave in the trash</Trans>
        </Button>
        <Button loading={isBusy} onClick={onKeepBoth} data-autofocus>
          <Trans>Keep both</Trans>
        </Button>
      </Group>
    </Dialog>
  );
}
