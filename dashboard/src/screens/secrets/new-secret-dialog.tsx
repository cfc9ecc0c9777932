/** Stores a new secret. Its value is sent once, and never shown again. */
import type { NewSecret } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
  { value: 'generic', label: t`For steps` },
  { value: 'registry', label: t`For a registry` },
] as const;

const purposes: Record<Kind, string> = {
  generic: t`Steps of workflows get it when they run, for example the password of a service.`,
  registry: t`Workers pull images from this registry with it.`,
};

export function NewSecretDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState<SecretForm>(emptyForm);
  const client = useQueryClient();
  const keyOf = useRequestKey();
  const create = useMutation({
    mutationFn: (body: NewSecret) => api.createSecret({ body, idempotencyKey: keyOf(body) }),
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: ['secrets'] });
      notifications.show({ message: t`${name} is stored.` });
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
    <Dialog opened onClose={onClose} title={t`New secret`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {create.error && !isBeside && <Problem error={create.error} />}
          <div>
            <SegmentedControl
              fullWidth
              aria-label={t`Kind`}
              data={[...kinds]}
              value={form.kind}
              onChange={(kind) => change({ kind: kind as Kind })}
            />
            <Text size="sm" c="var(--faint)" mt={8}>
              {purposes[form.kind]}
            </Text>
          </div>
          <TextInput
            label={t`Name`}
            description={
              form.kind === 'generic'
                ? t`Workflows ask for it by this name.`
                : t`Only for you to tell it apart.`
            }
            placeholder={t`WEATHER_API_KEY`}
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
              <Trans>Cancel</Trans>
            </Button>
            <Button
              type="submit"
              loading={create.isPending}
              disabled={name === '' || value === undefined}
            >
              <Trans>Store secret</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
