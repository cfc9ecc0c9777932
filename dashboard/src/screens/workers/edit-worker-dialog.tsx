/** Another name for a worker, and labels by which people tell it apart. */
import type { Worker } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useChange } from './queries.ts';

type Props = { worker: Worker; onClose: () => void };

export function EditWorkerDialog({ worker, onClose }: Props) {
  const [name, setName] = useState(worker.name);
  const [labels, setLabels] = useState(worker.labels);
  const change = useChange(worker.id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ name: name.trim(), labels }, { onSuccess: onClose });
  };
  return (
    <Dialog opened onClose={onClose} title={t`Edit ${worker.name}`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {change.error && <Problem error={change.error} />}
          <TextInput
            label={t`Name`}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={200}
            data-autofocus
          />
          <TagsInput
            label={t`Labels`}
            description={t`For people: they do not affect which work it gets. Enter adds one.`}
            value={labels}
            onChange={setLabels}
            maxTags={50}
            comboboxProps={{ withinPortal: false }}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" disabled={change.isPending} onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={change.isPending} disabled={name.trim() === ''}>
              <Trans>Save</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
