/** Deletes a secret that nothing needs any more; else it says what needs it. */
import type { Secret, SecretUse } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { Await, LoadingRows } from '../../ui/await.tsx';
import { Question } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import table from '../../ui/table.module.css';
import classes from './secrets.module.css';

type Props = { secret: Secret; onClose: () => void };

export function DeleteSecretDialog({ secret, onClose }: Props) {
  const { id, name } = secret;
  const detail = useQuery({
    queryKey: ['secret', id],
    queryFn: () => api.getSecret({ path: { id } }),
    gcTime: 0,
  });
  return (
    <Dialog opened onClose={onClose} title={t`Delete ${name}`}>
      <Await query={detail} loading={<LoadingRows rows={2} />}>
        {({ used_by }) =>
          used_by.length > 0 ? (
            <InUse users={used_by} onClose={onClose} />
          ) : (
            <ConfirmDelete secret={secret} onClose={onClose} />
          )
        }
      </Await>
    </Dialog>
  );
}

type InUseProps = { users: readonly SecretUse[]; onClose: () => void };

const InUse = ({ users, onClose }: InUseProps) => (
  <>
    <Text size="sm">
      {users.length === 1
        ? t`It is in use and cannot be deleted now: a version of this workflow needs it, and is published or run by a trigger. Archive that version, or turn the trigger off, first.`
        : t`It is in use and cannot be deleted now: a version of each of these workflows needs it, and is published or run by a trigger. Archive that version, or turn the trigger off, first.`}
    </Text>
    <ul className={classes.users}>
      {users.map((one) => (
        <li key={one.workflow_id}>
          <Link
            to="/workflows/$workflowId"
            params={{ workflowId: String(one.workflow_id) }}
            className={table.link}
          >
            {one.name}
          </Link>
        </li>
      ))}
    </ul>
    <Group justify="flex-end" mt="lg">
      <Button variant="default" onClick={onClose}>
        <Trans>Close</Trans>
      </Button>
    </Group>
  </>
);

function ConfirmDelete({ secret: { id, name, kind, server = '' }, onClose }: Props) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.deleteSecret({ path: { id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['secrets'] });
      notifications.show({ message: t`${name} is deleted.` });
      onClose();
    },
    // Something that needs it may have been published meanwhile; then that is shown instead.
    onError: () => client.invalidateQueries({ queryKey: ['secret', id] }),
  });
  return (
    <Question
      verb={t`Delete`}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {kind === 'registry'
        ? t`No published workflow needs it. Images of ${server} cannot be pulled any more, also by drafts.`
        : t`No published workflow needs it. Drafts that name it cannot run any more.`}{' '}
      <Trans>Its value is gone then, and cannot be brought back.</Trans>
    </Question>
  );
}
