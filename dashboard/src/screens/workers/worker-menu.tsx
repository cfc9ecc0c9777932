/** What can be done with a worker: drain it, let it take work again, name it, revoke it. */
import type { Worker } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconDots,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugOff,
} from '@tabler/icons-react';
import { useState } from 'react';
import { wordsOf } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { EditWorkerDialog } from './edit-worker-dialog.tsx';
import { type Steering, useRemoval, useSteering } from './queries.ts';

const done: Record<Steering, (name: string) => string> = {
  drain: (name) => t`${name} finishes what it has, and takes nothing new.`,
  resume: (name) => t`${name} takes work again.`,
};

export function WorkerMenu({ worker }: { worker: Worker }) {
  const { id, name, status } = worker;
  const steer = useSteering(id);
  const [action, setAction] = useState<'edit' | 'revoke'>();
  const close = () => setAction(undefined);
  const steerTo = (to: Steering) =>
    steer.mutate(to, {
      onSuccess: () => notifications.show({ message: done[to](name) }),
      onError: (error) =>
        notifications.show({
          color: 'red',
          title: t`${name} could not be changed`,
          message: wordsOf(error).message,
        }),
    });
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={t`Actions for ${name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'online' && (
            <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => steerTo('drain')}>
              <Trans>Drain</Trans>
            </Menu.Item>
          )}
          {status === 'draining' && (
            <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => steerTo('resume')}>
              <Trans>Let it take work</Trans>
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setAction('edit')}>
            <Trans>Edit…</Trans>
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconPlugOff size={16} />}
            onClick={() => setAction('revoke')}
          >
            <Trans>Revoke…</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {action === 'edit' && <EditWorkerDialog worker={worker} onClose={close} />}
      {action === 'revoke' && <RevokeDialog worker={worker} onClose={close} />}
    </>
  );
}

function RevokeDialog({ worker, onClose }: { worker: Worker; onClose: () => void }) {
  const { id, name, work } = worker;
  const remove = useRemoval(id);
  return (
    <Confirm
      opened
      title={t`Revoke ${name}`}
      verb={t`Revoke`}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            notifications.show({ message: t`${name} is revoked.` });
            onClose();
          },
        })
      }
      onClose={onClose}
    >
      <Trans>It is refused from now on, and cannot come back with its old identity.</Trans>{' '}
      {work.length > 0
        ? t`What it runs is lost, and runs again on another worker in about a minute. To let it finish first, drain it.`
        : t`It runs nothing of yours now.`}
    </Confirm>
  );
}
