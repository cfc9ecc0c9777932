/** Asks before something that is not easily taken back; says what will happen, not "Are you sure?". */
import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from './await.tsx';

type Props = {
  opened: boolean;
  title: string;
  children: ReactNode;
  /** What the button does, as a verb. */
  verb: string;
  /** What the other button does, where "Cancel" could be taken for the verb. */
  otherwise?: string;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
};

export function Confirm({
  opened,
  title,
  children,
  verb,
  otherwise = 'Cancel',
  isBusy,
  error,
  onConfirm,
  onClose,
}: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Text size="sm" component="div">
        {children}
      </Text>
      {error != null && (
        <div style={{ marginTop: 16 }}>
          <Problem error={error} />
        </div>
      )}
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" onClick={onClose}>
          {otherwise}
        </Button>
        <Button color="red" loading={isBusy} onClick={onConfirm} data-autofocus>
          {verb}
        </Button>
      </Group>
    </Modal>
  );
}
