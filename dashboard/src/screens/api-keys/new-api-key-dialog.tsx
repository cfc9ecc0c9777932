/** Creates a key and shows its secret, once: no later answer contains it. */

import type { ApiKeyRequest } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { Problem } from '../../ui/await.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useOnlyHere } from '../../ui/only-here.ts';
import { SecretToSave } from '../../ui/secret-to-save.tsx';

type Props = { opened: boolean; onClose: () => void };

export function NewApiKeyDialog({ opened, onClose }: Props) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: ApiKeyRequest) => api.createApiKey({ body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['api-keys'] }),
    // The secret must not outlive the dialog that shows it.
    gcTime: 0,
  });
  const close = () => {
    create.reset();
    onClose();
  };
  // A key that exists or is being created, and is shown only here.
  const isOnlyHere = create.isPending || create.data !== undefined;
  const { isWarned, warn } = useOnlyHere(isOnlyHere);
  return (
    <Dialog
      opened={opened}
      onClose={isOnlyHere ? warn : close}
      title={create.data ? t`Your new API key` : t`New API key`}
      withCloseButton={!isOnlyHere}
    >
      {create.data ? (
        <SecretToSave
          what="key"
          note={t`Put it where you keep passwords.`}
          isWarned={isWarned}
          onDone={close}
        >
          <CopyField label={t`API key`} value={create.data.access_key} />
        </SecretToSave>
      ) : (
        <KeyForm
          isBusy={create.isPending}
          error={create.error}
          onSubmit={create.mutate}
          onClose={close}
        />
      )}
    </Dialog>
  );
}

const lifetimes = [
  { value: '30', label: t`After 30 days` },
  { value: '90', label: t`After 90 days` },
  { value: '365', label: t`After a year` },
  { value: '', label: t`Never` },
];

type FormProps = {
  isBusy: boolean;
  error: unknown;
  onSubmit: (key: ApiKeyRequest) => void;
  onClose: () => void;
};

function KeyForm({ isBusy, error, onSubmit, onClose }: FormProps) {
  const [description, setDescription] = useState('');
  const [days, setDays] = useState('90');
  const [mayOnlyRead, setMayOnlyRead] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const expires_at = new Date(Date.now() + Number(days) * 86_400_000).toISOString();
    onSubmit({
      description: description.trim(),
      access: mayOnlyRead ? 'read' : 'full',
      ...(days === '' ? {} : { expires_at }),
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {error != null && <Problem error={error} />}
        <TextInput
          label={t`Description`}
          description={t`Which program will use it, and where.`}
          placeholder={t`Nightly import on build server`}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          maxLength={200}
          data-autofocus
        />
        <Select
          label={t`Expires`}
          data={lifetimes}
          value={days}
          onChange={(value) => setDays(value ?? '')}
          allowDeselect={false}
        />
        <Checkbox
          label={t`May only read`}
          description={t`It can list and download, but change nothing.`}
          checked={mayOnlyRead}
          onChange={(event) => setMayOnlyRead(event.currentTarget.checked)}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={isBusy} onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isBusy} disabled={!description.trim()}>
            <Trans>Create key</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
