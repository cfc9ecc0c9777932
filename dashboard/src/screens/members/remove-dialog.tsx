/** Removes a disabled person for good; before, somebody may take over what they own. */
import type { User } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { fullName } from '../../people.ts';
import { Await, LoadingRows, Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { affectedOf } from './affected.ts';
import { AffectedList } from './affected-list.tsx';
import { useDisablePreview, useRemoveMember } from './queries.ts';
import { SuccessorField } from './successor-field.tsx';

export function RemoveDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const [successor, setSuccessor] = useState<User>();
  const preview = useDisablePreview(user.id);
  const remove = useRemoveMember();
  const name = fullName(user);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate(
      { id: user.id, successor_id: successor?.id },
      {
        onSuccess: () => {
          notifications.show({ message: t`${name} is removed.` });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog opened onClose={onClose} title={t`Remove ${name}`} size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          {remove.error && <Problem error={remove.error} />}
          <Text size="sm">
            <Trans>
              The account cannot be enabled again, and {user.email} can be invited anew, here or by
              another organization. What they did stays in the audit log. This cannot be undone.
            </Trans>
          </Text>
          <Await query={preview} loading={<LoadingRows rows={2} />}>
            {(found) => (
              <AffectedList
                title={t`What they own, and administrators keep`}
                lines={affectedOf(found).stays}
                none={t`Nothing.`}
              />
            )}
          </Await>
          <SuccessorField of={user} chosen={successor} onChoose={setSuccessor} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} data-autofocus>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" color="red.9" loading={remove.isPending}>
              {successor ? t`Hand over and remove` : t`Remove`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
