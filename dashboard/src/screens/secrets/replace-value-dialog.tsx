/** A new value for a secret; what runs already keeps the old one. */
import type { NewSecret, Secret } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { emptyForm, faultsOf, secretValue } from './secret-form.ts';
import { ValueFields } from './value-fields.tsx';

type Props = { secret: Secret; onClose: () => void };

export function ReplaceValueDialog({ secret, onClose }: Props) {
  const { id, name, kind, server = '' } = secret;
  const [form, setForm] = useState({ ...emptyForm, kind, server });
  const client = useQueryClient();
  const replace = useMutation({
    mutationFn: (value: NewSecret['value']) => api.changeSecret({ path: { id }, body: { value } }),
    onSuccess: async ({ version }) => {
      await client.invalidateQueries({ queryKey: ['secrets'] });
      notifications.show({ message: t`${name} has a new value, version ${version}.` });
      onClose();
    },
    gcTime: 0,
  });
  const value = secretValue(form);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value !== undefined) replace.mutate(value);
  };
  const { faults, isBeside } = faultsOf(replace.error);
  return (
    <Dialog opened onClose={onClose} title={t`Replace the value of ${name}`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {replace.error && !isBeside && <Problem error={replace.error} />}
          <Text size="sm">
            <Trans>
              Steps that start from now on get the new value. Those that run keep the old one.
            </Trans>
          </Text>
          <ValueFields
            form={form}
            onChange={(changes) => setForm((old) => ({ ...old, ...changes }))}
            faults={faults}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" disabled={replace.isPending} onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={replace.isPending} disabled={value === undefined}>
              <Trans>Replace</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
