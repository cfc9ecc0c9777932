/** Creates a key and shows its secret, once: no later answer contains it. */

import type { ApiKeyRequest } from '@cogworks/sdk/contract.gen';
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
      title={create.data ? 'Your new API key' : 'New API key'}
      withCloseButton={!isOnlyHere}
    >
      {create.data ? (
        <SecretToSave
          what="key"
          note="Put it where you keep passwords."
          isWarned={isWarned}
          onDone={close}
        >
          <CopyField label="API key" value={create.data.access_key} />
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
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
  { value: '', label: 'Never' },
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
          label="Description"
          description="Which program will use it, and where."
          placeholder="Nightly import on build server"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          maxLength={200}
          data-autofocus
        />
        <Select
          label="Expires"
          data={lifetimes}
          value={days}
          onChange={(value) => setDays(value ?? '')}
          allowDeselect={false}
        />
        <Checkbox
          label="May only read"
          description="It can list and download, but change nothing."
          checked={mayOnlyRead}
          onChange={(event) => setMayOnlyRead(event.currentTarget.checked)}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} disabled={!description.trim()}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
