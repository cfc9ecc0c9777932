/** What can be done with a notice: switch, test, edit, rotate its secret, delete. */
import type { Notice } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDots, IconKey, IconPencil, IconSend, IconTrash } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { RotateSecretDialog } from '../../rotate-secret-dialog.tsx';
import { wordsOf } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { NoticeDialog } from './notice-dialog.tsx';
import { NoticeSwitch } from './notice-status.tsx';
import { useDeletion, useTest } from './queries.ts';
import { nameOf } from './words.ts';

type Action = 'edit' | 'rotate' | 'delete';

export function NoticeActions({ notice }: { notice: Notice }) {
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  const name = nameOf(notice);
  return (
    <>
      <span style={{ alignSelf: 'center', marginRight: 8 }}>
        <NoticeSwitch notice={notice} />
      </span>
      <TestButton notice={notice} />
      <Button leftSection={<IconPencil size={17} />} onClick={() => setAction('edit')}>
        <Trans>Edit</Trans>
      </Button>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t`More actions for ${name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!notice.by_mail && (
            <Menu.Item leftSection={<IconKey size={16} />} onClick={() => setAction('rotate')}>
              <Trans>Rotate the secret…</Trans>
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
      {action === 'edit' && <NoticeDialog notice={notice} onClose={close} />}
      {action === 'rotate' && (
        <RotateSecretDialog
          name={name}
          other="receiver"
          rotate={(body, idempotencyKey) =>
            api.rotateNoticeSecret({ path: { id: notice.id }, body, idempotencyKey })
          }
          onClose={close}
        />
      )}
      {action === 'delete' && <DeleteDialog notice={notice} onClose={close} />}
    </>
  );
}

function TestButton({ notice }: { notice: Notice }) {
  const test = useTest(notice.id);
  return (
    <Button
      variant="default"
      leftSection={<IconSend size={17} />}
      disabled={!notice.enabled}
      loading={test.isPending}
      onClick={() =>
        test.mutate(undefined, {
          onSuccess: () =>
            notifications.show({
              message: t`A test message is on its way. See below what comes of it.`,
            }),
          onError: (error) =>
            notifications.show({
              color: 'red',
              title: t`No test was sent`,
              message: wordsOf(error).message,
            }),
        })
      }
    >
      <Trans>Send a test</Trans>
    </Button>
  );
}

function DeleteDialog({ notice, onClose }: { notice: Notice; onClose: () => void }) {
  const remove = useDeletion(notice.id);
  const name = nameOf(notice);
  const navigate = useNavigate();
  return (
    <Confirm
      opened
      title={t`Delete “${name}”`}
      verb={t`Delete`}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: async () => {
            notifications.show({ message: t`“${name}” is deleted.` });
            onClose();
            await navigate({ to: '/settings/notices' });
          },
        })
      }
      onClose={onClose}
    >
      <Trans>
        Nothing is sent any more, also not what waits. The list of its messages goes with it. To
        stop it for a while, turn it off.
      </Trans>
    </Confirm>
  );
}
