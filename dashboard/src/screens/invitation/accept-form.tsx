/** A newcomer chooses their name and password, and so accepts. */
import type { Acceptance, OpenInvitation } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, PasswordInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { publicApi } from '../../api.ts';
import { Problem } from '../../ui/await.tsx';

type Props = {
  invitation: OpenInvitation;
  token: string;
  /** Signs in with the password that was chosen. */
  onAccepted: (password: string) => Promise<void>;
};

export function AcceptForm({ invitation, token, onAccepted }: Props) {
  const [first_name, setFirst] = useState('');
  const [last_name, setLast] = useState('');
  const [password, setPassword] = useState('');
  const accept = useMutation({
    mutationFn: async (body: Acceptance & { password: string }) => {
      await publicApi.acceptInvitation({ body });
      await onAccepted(body.password);
    },
    gcTime: 0,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate({
      token,
      first_name: first_name.trim(),
      last_name: last_name.trim(),
      password,
    });
  };
  const fault = faultOfPassword(accept.error);
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {accept.error && !fault && <Problem error={accept.error} title={t`You have not joined`} />}
        <TextInput
          label={t`E-mail address`}
          value={invitation.email}
          autoComplete="username"
          readOnly
          styles={{ input: { background: 'var(--rail)', borderColor: 'transparent' } }}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            label={t`First name`}
            value={first_name}
            onChange={(event) => setFirst(event.currentTarget.value)}
            maxLength={100}
            autoComplete="given-name"
          />
          <TextInput
            label={t`Last name`}
            value={last_name}
            onChange={(event) => setLast(event.currentTarget.value)}
            maxLength={100}
            autoComplete="family-name"
          />
        </SimpleGrid>
        <PasswordInput
          label={t`Choose a password`}
          description={t`At least 8 characters, and not your e-mail address; a few unrelated words are good.`}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          maxLength={200}
          autoComplete="new-password"
          error={fault}
        />
        <Button
          type="submit"
          size="md"
          loading={accept.isPending || accept.isSuccess}
          disabled={!first_name.trim() || !last_name.trim() || !password}
        >
          <Trans>Join</Trans>
        </Button>
      </Stack>
    </form>
  );
}

/** What the service says about the password, beside its field. */
function faultOfPassword(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const faults = error.fields.filter(({ loc }) => loc.at(-1) === 'password');
  return faults.map(({ msg }) => msg).join(' ') || undefined;
}
