/** Makes an organization, and shows its first admin's password, once. */
import type { NewTenant, NewTenantRequest } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { useOnce } from '../../request-key.ts';
import { Problem } from '../../ui/await.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useOnlyHere } from '../../ui/only-here.ts';

type Props = { opened: boolean; onClose: () => void };

export function NewTenantDialog({ opened, onClose }: Props) {
  const client = useQueryClient();
  const once = useOnce();
  const create = useMutation({
    mutationFn: (body: NewTenantRequest) =>
      once(body, (idempotencyKey) => api.createTenant({ body, idempotencyKey })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['tenants'] }),
    // The password must not outlive the dialog that shows it.
    gcTime: 0,
  });
  const close = () => {
    create.reset();
    onClose();
  };
  const isOnlyHere = create.isPending || create.data?.admin.password !== undefined;
  const { isWarned, warn } = useOnlyHere(isOnlyHere);
  return (
    <Dialog
      opened={opened}
      onClose={isOnlyHere ? warn : close}
      withCloseButton={!isOnlyHere}
      title={create.data ? t`“${create.data.name}” is there` : t`New organization`}
    >
      {create.data ? (
        <FirstAdmin tenant={create.data} isWarned={isWarned} onDone={close} />
      ) : (
        <TenantForm
          isBusy={create.isPending}
          error={create.error}
          onSubmit={create.mutate}
          onClose={close}
        />
      )}
    </Dialog>
  );
}

type FormProps = {
  isBusy: boolean;
  error: unknown;
  onSubmit: (tenant: NewTenantRequest) => void;
  onClose: () => void;
};

function TenantForm({ isBusy, error, onSubmit, onClose }: FormProps) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const isWhole = name.trim() !== '' && /^\S+@\S+$/.test(email.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isWhole) onSubmit({ name: name.trim(), admin_email: email.trim() });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {error != null && <Problem error={error} />}
        <TextInput
          label={t`Name`}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={200}
          autoComplete="off"
          data-autofocus
        />
        <TextInput
          label={t`E-mail address of its first administrator`}
          description={t`Who can then invite everybody else. An address that signs in here already cannot be used.`}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          maxLength={320}
          autoComplete="off"
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={isBusy} onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isBusy} disabled={!isWhole}>
            <Trans>Make organization</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type AdminProps = { tenant: NewTenant; isWarned: boolean; onDone: () => void };

function FirstAdmin({ tenant, isWarned, onDone }: AdminProps) {
  const { email, password } = tenant.admin;
  return (
    <Stack gap="md">
      {password === undefined ? (
        <Text size="sm">
          <Trans>{email} can sign in with this address at the identity provider.</Trans>
        </Text>
      ) : (
        <>
          <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title={t`Save this now`}>
            <Trans>
              The password is not shown again. It is good for the first sign-in, which asks for a
              new one.
            </Trans>
          </Alert>
          <CopyField label={t`E-mail address`} value={email} />
          <CopyField label={t`Password`} value={password} />
        </>
      )}
      {isWarned && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          <Trans>
            Without the password nobody can sign in there. Press “I have saved it” to close.
          </Trans>
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>{password === undefined ? t`Done` : t`I have saved it`}</Button>
      </Group>
    </Stack>
  );
}
