/** The log of a step; read again when an event says that it has grown. */

import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Await, LoadingRows } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import classes from './runs.module.css';
import { secretsUsed } from './secrets-used.ts';

type Props = { runId: number; step: NodeRun; title: string; onClose: () => void };

export function LogDialog({ runId, step, title, onClose }: Props) {
  const secrets = secretsUsed([step]);
  const isMoving = step.status === 'running';
  const log = useQuery({
    queryKey: ['log', step.id, step.attempt, step.status],
    queryFn: async () => {
      const path = { run_id: runId, node_run_id: step.id };
      return (await api.getNodeRunLog({ path })).text();
    },
  });
  return (
    <Dialog opened onClose={onClose} title={title} size="xl">
      {secrets && (
        <Text size="sm" c="var(--faint)" mb="sm">
          {secrets}
        </Text>
      )}
      <Await query={log} loading={<LoadingRows rows={3} />}>
        {(text) =>
          text === '' ? (
            <Text size="sm" c="var(--faint)">
              {isMoving ? 'Nothing written yet.' : 'This step wrote nothing.'}
            </Text>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a long log is scrolled by keyboard
            <pre className={classes.log} tabIndex={0}>
              {text}
            </pre>
          )
        }
      </Await>
    </Dialog>
  );
}
