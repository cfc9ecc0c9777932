/** What runs on new files of one folder: turns it on and off, and starts more in two clicks. */
import type { Cog, Trigger } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { nameOfFolder } from '../cogs.ts';
import { defaultsOf } from '../run-inputs/variables.ts';
import { Await, LoadingRows, Problem } from '../ui/await.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useWorkflowNames, useWorkflows } from '../workflows.ts';
import { useCreateTrigger, useTriggers } from './queries.ts';
import { TriggerDialog } from './trigger-dialog.tsx';
import { missingValues } from './trigger-form.ts';
import { TriggerStatus } from './trigger-status.tsx';
import { TriggerSwitch } from './trigger-switch.tsx';
import classes from './triggers.module.css';
import { useRunnable } from './what-runs.tsx';

type Props = { folder: Cog; onClose: () => void };

export function FolderRunsDialog({ folder, onClose }: Props) {
  const triggers = useTriggers({ folder_id: folder.id });
  const [subject, setSubject] = useState<number>();
  const name = nameOfFolder(folder);
  if (subject !== undefined) {
    const start = { type: 'folder', folder_id: folder.id } as const;
    const workflow = subject > 0 ? { workflow_id: subject } : {};
    return <TriggerDialog subject={{ ...start, ...workflow }} onClose={onClose} />;
  }
  return (
    <Dialog opened onClose={onClose} title={t`Run on new files in “${name}”`}>
      <Stack gap="md">
        <Text size="sm" c="var(--faint)">
          <Trans>
            Files that are uploaded, moved or copied here start a run in your name, a few seconds
            after the last of them has come.
          </Trans>
        </Text>
        <Await query={triggers} loading={<LoadingRows rows={1} />}>
          {(rows) => <Rows rows={rows.filter(({ type }) => type === 'folder')} />}
        </Await>
        <AddRow folder={folder} onMore={(workflowId) => setSubject(workflowId ?? 0)} />
      </Stack>
    </Dialog>
  );
}

function Rows({ rows }: { rows: readonly Trigger[] }) {
  const workflowName = useWorkflowNames();
  if (rows.length === 0) return null;
  return (
    <ul className={classes.rows}>
      {rows.map((trigger) => (
        <li key={trigger.id}>
          <div className={classes.rowName}>
            <Anchor
              component={Link}
              to="/triggers/$triggerId"
              params={{ triggerId: String(trigger.id) } as never}
              size="sm"
              fw={550}
            >
              {trigger.name}
            </Anchor>
            <Text size="xs" c="var(--faint)" truncate>
              <Trans>Starts {workflowName(trigger.workflow_id)}</Trans>
            </Text>
          </div>
          <TriggerStatus trigger={trigger} />
          <TriggerSwitch trigger={trigger} />
        </li>
      ))}
    </ul>
  );
}

type AddProps = { folder: Cog; onMore: (workflowId: number | undefined) => void };

/** A choice and a button; the usual answers to all else. */
function AddRow({ folder, onMore }: AddProps) {
  const workflows = useWorkflows();
  const create = useCreateTrigger();
  const [workflowId, setWorkflowId] = useState<string | null>(null);
  const published = workflows.data?.filter((one) => one.published_version_id !== undefined) ?? [];
  const chosen = published.find(({ id }) => String(id) === workflowId);
  const { variables } = useRunnable({ workflow_id: chosen?.id, workflow_version_id: undefined });
  const needsMore = variables && missingValues(variables, defaultsOf(variables), {}).length > 0;
  const add = () => {
    if (!chosen) return;
    if (needsMore) return onMore(chosen.id);
    const [workflow, place] = [chosen.name, nameOfFolder(folder)];
    create.mutate(
      {
        type: 'folder',
        name: t`${workflow} on new files in ${place}`.slice(0, 200),
        workflow_id: chosen.id,
        folder_id: folder.id,
      },
      { onSuccess: () => setWorkflowId(null) },
    );
  };
  if (workflows.data && published.length === 0) {
    return (
      <Text size="sm" c="var(--faint)">
        <Trans>
          There is no published workflow yet. Publish one first, on the page of a workflow.
        </Trans>
      </Text>
    );
  }
  return (
    <>
      {create.error && <Problem error={create.error} />}
      <Group gap="sm" align="flex-end">
        <Select
          label={t({ message: 'Run', context: 'verb' })}
          placeholder={t`Choose a workflow`}
          searchable
          flex="1 1 180px"
          data={published.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={workflowId}
          onChange={setWorkflowId}
          nothingFoundMessage={t`No such workflow`}
        />
        <Button disabled={!variables} loading={create.isPending} onClick={add}>
          {needsMore ? t`Go on…` : t`Turn on`}
        </Button>
      </Group>
      <div>
        <Button variant="subtle" size="compact-sm" px={4} onClick={() => onMore(chosen?.id)}>
          <Trans>With variables or media types…</Trans>
        </Button>
      </div>
    </>
  );
}
