/** Disables a person: what stops, what stays, and who takes over. */
import type { DisablePreview, User } from '@cogworks/sdk/contract.gen';
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
import { useChangeMember, useDisablePreview } from './queries.ts';
import { SuccessorField } from './successor-field.tsx';

export function DisableDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const [successor, setSuccessor] = useState<User>();
  const preview = useDisablePreview(user.id);
  const change = useChangeMember();
  const name = fullName(user);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const follows = successor && { successor_id: successor.id };
    change.mutate(
      { id: user.id, changes: { status: 'disabled', ...follows } },
      {
        onSuccess: () => {
          const to = successor && fullName(successor);
          notifications.show({
            message:
              to === undefined
                ? t`${name} is disabled.`
                : t`${name} is disabled. What is theirs goes to ${to}.`,
          });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog opened onClose={onClose} title={t`Disable ${name}`} size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          {change.error && <Problem error={change.error} />}
          <Text size="sm">
            <Trans>
              They are signed out at once and cannot sign in until an administrator enables them
              again. Their seat becomes free.
            </Trans>
          </Text>
          <Await query={preview} loading={<LoadingRows rows={3} />}>
            {(found) => <Affected preview={found} />}
          </Await>
          <SuccessorField of={user} chosen={successor} onChoose={setSuccessor} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} data-autofocus>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" color="red.9" loading={change.isPending}>
              {successor ? t`Disable and hand over` : t`Disable`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function Affected({ preview }: { preview: DisablePreview }) {
  const { stops, stays } = affectedOf(preview);
  return (
    <div>
      <AffectedList title={t`What stops`} lines={stops} none={t`Nothing of theirs is under way.`} />
      <AffectedList title={t`What stays`} lines={stays} none={t`They own nothing.`} />
    </div>
  );
}
