/** What can be done with a worker: drain it, let it take work again, name it, revoke it. */
import type { Worker } from '@cogworks/sdk/contract.gen';
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
  drain: (name) => `${name} finishes what it has, and takes nothing new.`,
  resume: (name) => `${name} takes work again.`,
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
          title: `${name} could not be changed`,
          message: wordsOf(error).message,
        }),
    });
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'online' && (
            <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => steerTo('drain')}>
              Drain
            </Menu.Item>
          )}
          {status === 'draining' && (
            <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => steerTo('resume')}>
              Let it take work
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setAction('edit')}>
            Edit…
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconPlugOff size={16} />}
            onClick={() => setAction('revoke')}
          >
            Revoke…
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
      title={`Revoke ${name}`}
      verb="Revoke"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            notifications.show({ message: `${name} is revoked.` });
            onClose();
          },
        })
      }
      onClose={onClose}
    >
      It is refused from now on, and cannot come back with its old identity.{' '}
      {work.length > 0
        ? 'What it runs is lost, and runs again on another worker in about a minute. To let it finish first, drain it.'
        : 'It runs nothing of yours now.'}
    </Confirm>
  );
}
