/** Somebody disabled before gives what is theirs to a successor. */
import type { User } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { fullName } from '../../people.ts';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useChangeMember } from './queries.ts';
import { SuccessorField } from './successor-field.tsx';

export function HandOverDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const [successor, setSuccessor] = useState<User>();
  const change = useChangeMember();
  const name = fullName(user);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!successor) return;
    change.mutate(
      { id: user.id, changes: { successor_id: successor.id } },
      {
        onSuccess: () => {
          const to = fullName(successor);
          notifications.show({ message: t`What was ${name}’s goes to ${to}.` });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog opened onClose={onClose} title={t`Hand over what ${name} has`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {change.error && <Problem error={change.error} />}
          <SuccessorField of={user} chosen={successor} onChoose={setSuccessor} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={change.isPending} disabled={!successor}>
              <Trans>Hand over</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
