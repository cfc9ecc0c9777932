/** A new password, for whoever knows the current one. */
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, PasswordInput, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { useMe } from '../../people.ts';
import { Problem } from '../../ui/await.tsx';

const nothing = { current_password: '', new_password: '', again: '' };

export function PasswordForm() {
  const { data: me } = useMe();
  const [fields, setFields] = useState(nothing);
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ current_password, new_password }: typeof nothing) =>
      api.changePassword({ body: { current_password, new_password } }),
    onSuccess: () => {
      setFields(nothing);
      notifications.show({ message: t`Your password is changed. Other sessions have ended.` });
      return client.invalidateQueries({ queryKey: ['sessions'] });
    },
    // Passwords must not outlive their form.
    gcTime: 0,
  });
  const isDifferent = fields.again !== '' && fields.again !== fields.new_password;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isDifferent) change.mutate(fields);
  };
  const fieldOf = (name: keyof typeof nothing) => ({
    value: fields[name],
    onChange: (event: { currentTarget: HTMLInputElement }) =>
      setFields({ ...fields, [name]: event.currentTarget.value }),
  });
  const { ofCurrent, ofNew, other } = faultsOf(change.error);
  return (
    <form onSubmit={submit}>
      <Stack gap="md" align="stretch" maw={360}>
        {other != null && <Problem error={other} title={t`Your password was not changed`} />}
        {/* For password managers: whose password it is. */}
        <input type="hidden" name="username" autoComplete="username" value={me?.email ?? ''} />
        <PasswordInput
          label={t`Current password`}
          {...fieldOf('current_password')}
          error={ofCurrent}
          autoComplete="current-password"
        />
        <PasswordInput
          label={t`New password`}
          {...fieldOf('new_password')}
          error={ofNew}
          autoComplete="new-password"
        />
        <PasswordInput
          label={t`New password again`}
          {...fieldOf('again')}
          error={isDifferent && t`The two are not the same yet.`}
          autoComplete="new-password"
        />
        <Button
          type="submit"
          loading={change.isPending}
          disabled={Object.values(fields).includes('') || isDifferent}
          style={{ alignSelf: 'flex-start' }}
        >
          <Trans>Change password</Trans>
        </Button>
      </Stack>
    </form>
  );
}

/** Which field a refusal is about. */
function faultsOf(error: unknown): { ofCurrent?: string; ofNew?: string; other?: unknown } {
  if (error == null) return {};
  if (!(error instanceof ApiError)) return { other: error };
  if (error.code === 'wrong_password') return { ofCurrent: error.detail };
  if (error.status === 422) return { ofNew: error.fields.map(({ msg }) => msg).join(' ') };
  return { other: error };
}
