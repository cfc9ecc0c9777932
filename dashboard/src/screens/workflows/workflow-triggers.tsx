/** What starts this workflow by itself. */
import { Trans } from '@lingui/react/macro';
import { Group, Text, Title } from '@mantine/core';
import { NewTriggerButton } from '../../triggers/new-trigger-button.tsx';
import { useTriggers } from '../../triggers/queries.ts';
import { TriggerTable } from '../../triggers/trigger-table.tsx';
import { Await, LoadingRows } from '../../ui/await.tsx';
import classes from './workflows.module.css';

export function WorkflowTriggers({ workflowId }: { workflowId: number }) {
  const triggers = useTriggers({ workflow_id: workflowId });
  return (
    <section aria-labelledby="triggers">
      <Group justify="space-between" className={classes.section} gap="sm">
        <Title order={2} size="md" id="triggers">
          <Trans>Triggers</Trans>
        </Title>
        <NewTriggerButton start={{ workflow_id: workflowId }} variant="default" />
      </Group>
      <Await query={triggers} loading={<LoadingRows rows={1} />}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="var(--faint)">
              <Trans>
                Nothing starts this workflow by itself. A schedule, a webhook or new files in a
                folder can.
              </Trans>
            </Text>
          ) : (
            <TriggerTable rows={rows} />
          )
        }
      </Await>
    </section>
  );
}
