/** Stores a new secret. Its value is sent once, and never shown again. */
import type { NewSecret } from '@cogworks/sdk/contract.gen';
import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { useRequestKey } from '../../request-key.ts';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import {
  asName,
  emptyForm,
  faultsOf,
  type Kind,
  nameOf,
  type SecretForm,
  secretValue,
} from './secret-form.ts';
import classes from './secrets.module.css';
import { ValueFields } from './value-fields.tsx';

const kinds = [
  { value: 'generic', label: 'For steps' },
  { value: 'registry', label: 'For a registry' },
] as const;

const purposes: Record<Kind, string> = {
  generic: 'Steps of workflows get it when they run, for example the password of a service.',
  registry: 'Workers pull images from this registry with it.',
};

export function NewSecretDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState<SecretForm>(emptyForm);
  const client = useQueryClient();
  const keyOf = useRequestKey();
  const create = useMutation({
    mutationFn: (body: NewSecret) => api.createSecret({ body, idempotencyKey: keyOf(body) }),
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: ['secrets'] });
      notifications.show({ message: `${name} is stored.` });
      onClose();
    },
    // The value must not outlive the dialog.
    gcTime: 0,
  });
  const [name, value] = [nameOf(form), secretValue(form)];
  const change = (changes: Partial<SecretForm>) => {
    // What was wrong with it is not what is wrong with this.
    if (create.error) create.reset();
    setForm((old) => ({ ...old, ...changes }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name && value !== undefined) create.mutate({ name, kind: form.kind, value });
  };
  const { faults, isBeside } = faultsOf(create.error);
  return (
    <Dialog opened onClose={onClose} title="New secret">
      <form onSubmit={submit}>
        <Stack gap="md">
          {create.error && !isBeside && <Problem error={create.error} />}
          <div>
            <SegmentedControl
              fullWidth
              aria-label="Kind"
              data={[...kinds]}
              value={form.kind}
              onChange={(kind) => change({ kind: kind as Kind })}
            />
            <Text size="sm" c="var(--faint)" mt={8}>
              {purposes[form.kind]}
            </Text>
          </div>
          <TextInput
            label="Name"
            description={
              form.kind === 'generic'
                ? 'Workflows ask for it by this name.'
                : 'Only for you to tell it apart.'
            }
            placeholder="WEATHER_API_KEY"
            value={name}
            onChange={(event) => change({ name: asName(event.currentTarget.value) })}
            classNames={{ input: classes.name ?? '' }}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <ValueFields form={form} onChange={change} faults={faults} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" disabled={create.isPending} onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={create.isPending}
              disabled={name === '' || value === undefined}
            >
              Store secret
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
