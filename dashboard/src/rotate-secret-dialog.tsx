/** A new secret that messages are signed with, shown once; the old one lives on for a while. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useRequestKey } from './request-key.ts';
import { Problem } from './ui/await.tsx';
import { CopyField } from './ui/copy-field.tsx';
import { Dialog } from './ui/dialog.tsx';
import { formatExactly } from './ui/format.ts';
import { useOnlyHere } from './ui/only-here.ts';
import { SecretToSave } from './ui/secret-to-save.tsx';

const overlaps = [
  { value: '0', label: t`It ends now` },
  { value: '3600', label: t`For an hour` },
  { value: '86400', label: t`For a day` },
  { value: '604800', label: t`For seven days` },
];

/** A secret may come from the other side. */
const ownSecret = {
  receiver: {
    label: t`Secret of the receiver`,
    description: t`Only if the receiver shows one. Otherwise one is made.`,
  },
  sender: {
    label: t`Secret of the sender`,
    description: t`Only if the sender shows one. Otherwise one is made.`,
  },
};

export type NewSecret = { overlap_seconds: number; secret?: string };
export type RotatedSecret = { secret: string; old_secret_ends_at?: string | undefined };

type Props = {
  /** Whose secret it is. */
  name: string;
  /** At whose side the secret is entered, and may be made. */
  other: 'sender' | 'receiver';
  rotate: (body: NewSecret, idempotencyKey: string) => Promise<RotatedSecret>;
  onClose: () => void;
};

export function RotateSecretDialog({ name, other, rotate, onClose }: Props) {
  const keyOf = useRequestKey();
  const change = useMutation({
    mutationFn: (body: NewSecret) => rotate(body, keyOf(body)),
    // The secret must not outlive the dialog that shows it.
    gcTime: 0,
  });
  const isOnlyHere = change.isPending || change.data !== undefined;
  const { isWarned, warn } = useOnlyHere(isOnlyHere);
  return (
    <Dialog
      opened
      onClose={isOnlyHere ? warn : onClose}
      withCloseButton={!isOnlyHere}
      title={change.data ? t`New secret of “${name}”` : t`Rotate the secret of “${name}”`}
    >
      {change.data ? (
        <Rotated {...change.data} isWarned={isWarned} onDone={onClose} />
      ) : (
        <RotationForm
          other={other}
          isBusy={change.isPending}
          error={change.error}
          onSubmit={change.mutate}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

type RotatedProps = RotatedSecret & { isWarned: boolean; onDone: () => void };

const Rotated = ({ secret, old_secret_ends_at, ...rest }: RotatedProps) => (
  <SecretToSave what="secret" {...rest}>
    <CopyField label={t`Secret`} value={secret} />
    {old_secret_ends_at && (
      <Text size="sm">
        <Trans>The old secret works until {formatExactly(old_secret_ends_at)}.</Trans>
      </Text>
    )}
  </SecretToSave>
);

type FormProps = Pick<Props, 'other' | 'onClose'> & {
  isBusy: boolean;
  error: unknown;
  onSubmit: (body: NewSecret) => void;
};

function RotationForm({ other, isBusy, error, onSubmit, onClose }: FormProps) {
  const [overlap, setOverlap] = useState('86400');
  const [own, setOwn] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ overlap_seconds: Number(overlap), ...(own && { secret: own }) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {error != null && <Problem error={error} />}
        <Select
          label={t`The old secret still works`}
          {...(other === 'receiver' && {
            description: t`Messages are signed with both, until the receiver has the new one.`,
          })}
          data={overlaps}
          value={overlap}
          onChange={(value) => setOverlap(value ?? '86400')}
          allowDeselect={false}
        />
        <TextInput
          {...ownSecret[other]}
          value={own}
          onChange={(event) => setOwn(event.currentTarget.value.trim())}
          autoComplete="off"
          spellCheck={false}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isBusy}>
            <Trans>Make a new secret</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
