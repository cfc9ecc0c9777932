/** Makes a workflow of a template, and opens it. */
import type { WorkflowTemplate } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useInstantiation } from './queries.ts';

type Props = { template: WorkflowTemplate; onClose: () => void };

export function UseTemplateDialog({ template, onClose }: Props) {
  const [name, setName] = useState(template.name);
  const make = useInstantiation(template.id);
  const navigate = useNavigate();
  const missing = template.requirements.filter(({ is_met }) => is_met === false).length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate(
      { name: name.trim() },
      {
        onSuccess: ({ id }) =>
          navigate({ to: '/workflows/$workflowId', params: { workflowId: String(id) } }),
      },
    );
  };
  return (
    <Dialog opened onClose={onClose} title={t`Use “${template.name}”`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {make.error && <Problem error={make.error} />}
          <TextInput
            label={t`Name of the new workflow`}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={200}
            data-autofocus
          />
          <Text size="sm" c="var(--faint)">
            {missing === 0
              ? t`It has all that it needs. It begins as a draft, which you can try and then publish.`
              : plural(missing, {
                  one: '# thing that it needs is missing yet. You can make the workflow now, and provide that before it runs.',
                  other:
                    '# things that it needs are missing yet. You can make the workflow now, and provide that before it runs.',
                })}
          </Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" disabled={make.isPending} onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={make.isPending} disabled={name.trim() === ''}>
              <Trans>Make workflow</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
