/** A secret that is shown once, and a button that says that it is saved. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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

const saveNow = { key: t`Save the key now`, secret: t`Save the secret now` };

const leaving = {
  key: t`If you leave without the key, you have to make another. Press “I have saved it” to close.`,
  secret: t`If you leave without the secret, you have to make another. Press “I have saved it” to close.`,
};

export function SecretToSave({ what, note, children, isWarned, onDone }: Props) {
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title={saveNow[what]}>
        <Trans>It is not shown again.</Trans> {note}
      </Alert>
      {children}
      {isWarned && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {leaving[what]}
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>
          <Trans>I have saved it</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
