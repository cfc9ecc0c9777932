/** Makes a token that enrols one worker, and waits until that worker is there. */
import type { Me } from '@cogworks/sdk/contract.gen';
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
    <Dialog opened onClose={onClose} title="Add a worker" size="lg">
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
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For seven days' },
];

const scopes = [
  { value: 'tenant', label: 'Your organization alone' },
  { value: 'platform', label: 'All organizations of this installation' },
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
          label="Name"
          description="Without one it is called like its machine."
          placeholder="gpu-1"
          value={name}
          onChange={(event) => onName(event.currentTarget.value)}
          maxLength={200}
          data-autofocus
        />
        {mayShare && (
          <Select
            label="It works for"
            data={scopes}
            value={scope}
            onChange={(value) => setScope(value ?? 'tenant')}
            allowDeselect={false}
          />
        )}
        <Select
          label="The command can be used"
          description="Once, and as long as you choose here."
          data={lifetimes}
          value={seconds}
          onChange={(value) => setSeconds(value ?? '3600')}
          allowDeselect={false}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Make the command
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
