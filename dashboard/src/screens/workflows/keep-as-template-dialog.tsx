/** Keeps a version of a workflow as a template of the organization, or for all. */
import type {
  NewWorkflowTemplate,
  WorkflowVersionSummary as Version,
  Workflow,
} from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { useMe } from '../../people.ts';
import { useRequestKey } from '../../request-key.ts';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';

type Props = { workflow: Workflow; version: Version; onClose: () => void };

export function KeepAsTemplateDialog({ workflow, version, onClose }: Props) {
  const { data: me } = useMe();
  const [form, setForm] = useState({
    name: workflow.name,
    description: workflow.description ?? '',
    category: '',
    isForAll: false,
  });
  const change = (changes: Partial<typeof form>) => setForm((old) => ({ ...old, ...changes }));
  const keep = useKeeping();
  const navigate = useNavigate();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keep.mutate(
      {
        name: form.name.trim(),
        description: form.description,
        category: form.category.trim(),
        scope: form.isForAll ? 'platform' : 'tenant',
        workflow_version_id: version.id,
      },
      {
        onSuccess: ({ id, name }) => {
          notifications.show({ message: t`“${name}” is kept as a template.` });
          onClose();
          void navigate({
            to: '/workflows/templates/$templateId',
            params: { templateId: String(id) },
          });
        },
      },
    );
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t`Keep version ${version.version_number} as a template`}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {keep.error && (
            <Problem error={keep.error} title={t`This version cannot be a template as it is`} />
          )}
          <TextInput
            label={t`Name`}
            value={form.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            maxLength={200}
            data-autofocus
          />
          <Textarea
            label={t`Description`}
            description={t`What it is for, and what it needs.`}
            autosize
            minRows={2}
            maxRows={8}
            value={form.description}
            onChange={(event) => change({ description: event.currentTarget.value })}
            maxLength={10_000}
          />
          <TextInput
            label={t`Category`}
            description={t`Templates are found by it. One that there is, or a new one.`}
            list="categories"
            value={form.category}
            onChange={(event) => change({ category: event.currentTarget.value })}
            maxLength={100}
          />
          <datalist id="categories">
            {useCategories().map((category) => (
              <option key={category} value={category} />
            ))}
          </datalist>
          {me?.is_platform_admin && (
            <Checkbox
              label={t`For all organizations of this installation`}
              checked={form.isForAll}
              onChange={(event) => change({ isForAll: event.currentTarget.checked })}
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" disabled={keep.isPending} onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={keep.isPending} disabled={form.name.trim() === ''}>
              <Trans>Keep as a template</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Those of the first templates, as proposals. */
function useCategories(): string[] {
  const { data = [] } = useQuery({
    queryKey: ['templates', 'categories'],
    queryFn: () => api.listWorkflowTemplates({ query: { limit: 100 } }),
  });
  return [...new Set(data.map(({ category }) => category).filter((name) => name !== ''))];
}

function useKeeping() {
  const client = useQueryClient();
  const keyOf = useRequestKey();
  return useMutation({
    mutationFn: (body: NewWorkflowTemplate) =>
      api.createWorkflowTemplate({ body, idempotencyKey: keyOf(body) }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['templates'] }),
  });
}
