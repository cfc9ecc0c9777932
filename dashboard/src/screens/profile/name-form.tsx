/** First and last name. */
import type { Me } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { Problem } from '../../ui/await.tsx';
import classes from './profile.module.css';

export function NameForm({ me }: { me: Me }) {
  const [first, setFirst] = useState(me.first_name);
  const [last, setLast] = useState(me.last_name);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (names: Pick<Me, 'first_name' | 'last_name'>) => api.changeMe({ body: names }),
    onSuccess: (changed) => {
      client.setQueryData(['me'], changed);
      notifications.show({ message: t`Your name is saved.` });
      return client.invalidateQueries({ queryKey: ['users'] });
    },
  });
  const names = { first_name: first.trim(), last_name: last.trim() };
  const isSame = names.first_name === me.first_name && names.last_name === me.last_name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(names);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md" align="flex-start">
        {save.error && <Problem error={save.error} />}
        <div className={classes.names} style={{ width: '100%' }}>
          <TextInput
            label={t`First name`}
            value={first}
            onChange={(event) => setFirst(event.currentTarget.value)}
            maxLength={100}
            autoComplete="given-name"
          />
          <TextInput
            label={t`Last name`}
            value={last}
            onChange={(event) => setLast(event.currentTarget.value)}
            maxLength={100}
            autoComplete="family-name"
          />
        </div>
        <Button
          type="submit"
          loading={save.isPending}
          disabled={isSame || !names.first_name || !names.last_name}
        >
          <Trans>Save</Trans>
        </Button>
      </Stack>
    </form>
  );
}
