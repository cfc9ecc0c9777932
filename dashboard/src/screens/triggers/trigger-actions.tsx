/** What can be done with a trigger: switch, run, edit, rotate its secret, take over, delete. */
import type { Trigger } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPlay,
  IconTrash,
  IconUserCheck,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import { api } from '../../api.ts';
import { useMe, useNames } from '../../people.ts';
import { randomKey } from '../../request-key.ts';
import { RotateSecretDialog } from '../../rotate-secret-dialog.tsx';
import { readAgain, useChangeTrigger } from '../../triggers/queries.ts';
import { mayLookInto, mayUse } from '../../triggers/rights.ts';
import { TriggerSwitch } from '../../triggers/trigger-switch.tsx';
import { wordsOf } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { LoadedDialog } from '../../ui/loaded-dialog.tsx';

const TriggerDialog = lazy(async () => ({
  default: (await import('../../triggers/trigger-dialog.tsx')).TriggerDialog,
}));

type Action = 'edit' | 'rotate' | 'take-over' | 'delete';

export function TriggerActions({ trigger }: { trigger: Trigger }) {
  const { data: me } = useMe();
  const [action, setAction] = useState<Action>();
  const fire = useFire(trigger.id);
  const close = () => setAction(undefined);
  if (!mayLookInto(trigger, me)) return null;
  const { name } = trigger;
  const isUsed = mayUse(trigger, me);
  return (
    <>
      <span style={{ alignSelf: 'center', marginRight: 8 }}>
        <TriggerSwitch trigger={trigger} />
      </span>
      {isUsed && (
        <>
          <Button
            variant="default"
            leftSection={<IconPlayerPlay size={17} />}
            loading={fire.isPending}
            onClick={() => fire.mutate()}
          >
            <Trans>Run now</Trans>
          </Button>
          <Button leftSection={<IconPencil size={17} />} onClick={() => setAction('edit')}>
            <Trans>Edit</Trans>
          </Button>
        </>
      )}
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t`More actions for ${name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isUsed && trigger.type === 'webhook' && (
            <Menu.Item leftSection={<IconKey size={16} />} onClick={() => setAction('rotate')}>
              <Trans>Rotate the secret…</Trans>
            </Menu.Item>
          )}
          {trigger.run_as_user_id !== me?.id && (
            <Menu.Item
              leftSection={<IconUserCheck size={16} />}
              onClick={() => setAction('take-over')}
            >
              <Trans>Take over…</Trans>
            </Menu.Item>
          )}
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} />}
            onClick={() => setAction('delete')}
          >
            <Trans>Delete…</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {action === 'edit' && (
        <LoadedDialog onClose={close}>
          <TriggerDialog subject={trigger} onClose={close} />
        </LoadedDialog>
      )}
      {action === 'rotate' && (
        <RotateSecretDialog
          name={name}
          other="sender"
          rotate={(body, idempotencyKey) =>
            api.rotateTriggerSecret({ path: { id: trigger.id }, body, idempotencyKey })
          }
          onClose={close}
        />
      )}
      {action === 'take-over' && <TakeOverDialog trigger={trigger} onClose={close} />}
      {action === 'delete' && <DeleteDialog trigger={trigger} onClose={close} />}
    </>
  );
}

function useFire(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.fireTrigger({ path: { id }, idempotencyKey: randomKey() }),
    onSuccess: ({ workflow_run_id }) =>
      notifications.show({ message: t`Run #${workflow_run_id} has started.` }),
    onError: (error) =>
      notifications.show({
        color: 'red',
        title: t`The run did not start`,
        message: wordsOf(error).message,
      }),
    onSettled: () => readAgain(client),
  });
}

type DialogProps = { trigger: Trigger; onClose: () => void };

function TakeOverDialog({ trigger, onClose }: DialogProps) {
  const { name } = trigger;
  const { data: me } = useMe();
  const owner = useNames()(trigger.run_as_user_id);
  const change = useChangeTrigger();
  return (
    <Confirm
      opened
      title={t`Take over “${name}”`}
      verb={t`Take over`}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() =>
        me &&
        change.mutate(
          { id: trigger.id, changes: { run_as_user_id: me.id } },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Trans>
        Its runs start in the name of {owner} now. From then on they start in yours, with what you
        may see and do.
      </Trans>
    </Confirm>
  );
}

function DeleteDialog({ trigger, onClose }: DialogProps) {
  const { name } = trigger;
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => api.deleteTrigger({ path: { id: trigger.id } }),
    onSuccess: async () => {
      onClose();
      await navigate({ to: '/triggers' });
      client.removeQueries({ queryKey: ['trigger', trigger.id] });
      await readAgain(client);
    },
  });
  return (
    <Confirm
      opened
      title={t`Delete “${name}”`}
      verb={t`Delete`}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {trigger.type === 'webhook' && t`Its URL stops working at once.`}{' '}
      <Trans>
        Its history goes with it, its runs stay. This cannot be undone; to stop it for a while, turn
        it off.
      </Trans>
    </Confirm>
  );
}
