/** A secret that is shown once, and a button that says that it is saved. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type Props = {
  /** What it is called within a sentence. */
  what: 'key' | 'secret';
  /** What it is for. */
  note?: string;
  /** The fields with it. */
  children: ReactNode;
  /** Whether the user tried to leave without the button. */
  isWarned: boolean;
  onDone: () => void;
};

export function SecretToSave({ what, note, children, isWarned, onDone }: Props) {
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title={`Save the ${what} now`}>
        It is not shown again. {note}
      </Alert>
      {children}
      {isWarned && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          If you leave without the {what}, you have to make another. Press “I have saved it” to
          close.
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>I have saved it</Button>
      </Group>
    </Stack>
  );
}
