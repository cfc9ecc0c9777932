/** Leads to the builder: to the newest draft, or to one that is made of the latest version. */
import type { WorkflowVersionSummary as Version, Workflow } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPencil } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { useCommands } from './commands/use-commands.ts';
import { useMe } from './people.ts';
import { useRequestKey } from './request-key.ts';
import { wordsOf } from './ui/await.tsx';
import { ButtonLink } from './ui/button-link.tsx';
import { useOpenBuilder } from './workflows.ts';

type Props = { workflow: Workflow; versions: readonly Version[]; label?: string };

export function EditButton({ workflow, versions, label = t`Edit` }: Props) {
  const { data: me } = useMe();
  const latest = newestOf(versions);
  const draft = newestOf(versions.filter(({ state }) => state === 'draft'));
  const mayChange = me?.role === 'admin' || workflow.created_by === me?.id;
  const isHere = draft ?? (mayChange ? undefined : latest);
  const openBuilder = useOpenBuilder();
  const open = {
    ...{ id: 'edit', label: mayChange ? t`Edit the workflow` : t`Open the workflow` },
    ...{ words: t`builder canvas`, icon: IconPencil },
    run: () => openBuilder(workflow.id, isHere?.id),
  };
  useCommands(isHere ? [open] : []);
  if (!isHere) return mayChange ? <NewDraftButton {...{ workflow, latest, label }} /> : null;
  return (
    <ButtonLink
      to="/workflows/$workflowId/versions/$versionId"
      params={{ workflowId: String(workflow.id), versionId: String(isHere.id) }}
      variant="default"
      leftSection={<IconPencil size={17} />}
    >
      {mayChange ? label : t`Open`}
    </ButtonLink>
  );
}

const newestOf = (versions: readonly Version[]): Version | undefined =>
  versions.toSorted((a, b) => b.version_number - a.version_number)[0];

type NewDraftProps = { workflow: Workflow; latest: Version | undefined; label: string };

function NewDraftButton({ workflow, latest, label }: NewDraftProps) {
  const client = useQueryClient();
  const openBuilder = useOpenBuilder();
  const keyOf = useRequestKey();
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      api.createWorkflowVersion({
        path: { id: workflow.id },
        body: {},
        idempotencyKey: keyOf(latest?.id),
      }),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['versions', workflow.id] });
      openBuilder(workflow.id, id);
    },
    onError: (error) =>
      notifications.show({
        color: 'red',
        title: t`A draft could not be made`,
        message: wordsOf(error).message,
      }),
  });
  useCommands([
    {
      ...{ id: 'edit', label: t`Edit the workflow`, words: t`builder canvas`, icon: IconPencil },
      ...{ about: t`In a new draft`, run: () => mutate() },
    },
  ]);
  return (
    <Button
      variant="default"
      leftSection={<IconPencil size={17} />}
      loading={isPending}
      onClick={() => mutate()}
    >
      {label}
    </Button>
  );
}
