/** Makes a token that enrols one worker, and waits until that worker is there. */
import type { Me } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EnrolledWorker } from './enrolled-worker.tsx';

type Scope = 'tenant' | 'platform';
type Wanted = { scope: Scope; expires_in: number };

type Props = { me: Me; onClose: () => void };

export function AddWorkerDialog({ me, onClose }: Props) {
  const [name, setName] = useState('');
  const make = useMutation({
    mutationFn: (body: Wanted) => api.createEnrollmentToken({ body }),
    gcTime: 0,
  });
  const token = make.data;
  return (
    <Dialog opened onClose={onClose} title={t`Add a worker`} size="lg">
      {token ? (
        <EnrolledWorker token={token} name={name.trim()} onDone={onClose} />
      ) : (
        <TokenForm
          name={name}
          onName={setName}
          mayShare={me.is_platform_admin}
          isBusy={make.isPending}
          error={make.error}
          onSubmit={make.mutate}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

const lifetimes = [
  { value: '3600', label: t`For an hour` },
  { value: '86400', label: t`For a day` },
  { value: '604800', label: t`For seven days` },
];

const scopes = [
  { value: 'tenant', label: t`Your organization alone` },
  { value: 'platform', label: t`All organizations of this installation` },
];

type FormProps = {
  name: string;
  onName: (name: string) => void;
  mayShare: boolean;
  isBusy: boolean;
  error: unknown;
  onSubmit: (wanted: Wanted) => void;
  onClose: () => void;
};

function TokenForm({ name, onName, mayShare, isBusy, error, onSubmit, onClose }: FormProps) {
  const [seconds, setSeconds] = useState('3600');
  const [scope, setScope] = useState<string>('tenant');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ scope: scope as Scope, expires_in: Number(seconds) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {error != null && <Problem error={error} />}
        <TextInput
          label={t`Name`}
          description={t`Without one it is called like its machine.`}
          placeholder={t`gpu-1`}
          value={name}
          onChange={(event) => onName(event.currentTarget.value)}
          maxLength={200}
          data-autofocus
        />
        {mayShare && (
          <Select
            label={t`It works for`}
            data={scopes}
            value={scope}
            onChange={(value) => setScope(value ?? 'tenant')}
            allowDeselect={false}
          />
        )}
        <Select
          label={t`The command can be used`}
          description={t`Once, and as long as you choose here.`}
          data={lifetimes}
          value={seconds}
          onChange={(value) => setSeconds(value ?? '3600')}
          allowDeselect={false}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={isBusy} onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isBusy}>
            <Trans>Make the command</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
