/** Creates a key and shows its secret, once: no later answer contains it. */

import type { ApiKeyRequest, NewApiKey } from '@cogworks/sdk/contract.gen';
import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { Problem } from '../../ui/await.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';

type Props = { opened: boolean; onClose: () => void };

export function NewApiKeyDialog({ opened, onClose }: Props) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: ApiKeyRequest) => api.createApiKey({ body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['api-keys'] }),
    // The secret must not outlive the dialog that shows it.
    gcTime: 0,
  });
  const [isWarned, setWarned] = useState(false);
  const close = () => {
    create.reset();
    setWarned(false);
    onClose();
  };
  // A key that exists or is being created, and is shown only here.
  const isOnlyHere = create.isPending || create.data !== undefined;
  useBlocker({
    shouldBlockFn: () => {
      setWarned(true);
      return true;
    },
    enableBeforeUnload: isOnlyHere,
    disabled: !isOnlyHere,
  });
  return (
    <Dialog
      opened={opened}
      onClose={isOnlyHere ? () => setWarned(true) : close}
      title={create.data ? 'Your new API key' : 'New API key'}
      withCloseButton={!isOnlyHere}
    >
      {create.data ? (
        <Secret apiKey={create.data} isWarned={isWarned} onDone={close} />
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const expires_at = new Date(Date.now() + Number(days) * 86_400_000).toISOString();
    onSubmit({ description: description.trim(), ...(days === '' ? {} : { expires_at }) });
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

type SecretProps = { apiKey: NewApiKey; isWarned: boolean; onDone: () => void };

/** `isWarned`: the user tried to close the dialog without the button. */
function Secret({ apiKey, isWarned, onDone }: SecretProps) {
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title="Save this key now">
        It is not shown again. Put it where you keep passwords.
      </Alert>
      <CopyField label="API key" value={apiKey.access_key} />
      {isWarned && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          If you leave without the key, you have to make another. Press “I have saved it” to close.
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>I have saved it</Button>
      </Group>
    </Stack>
  );
}
