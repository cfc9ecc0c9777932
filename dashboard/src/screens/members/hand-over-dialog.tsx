/** Somebody disabled before gives what is theirs to a successor. */
import type { User } from '@cogworks/sdk/contract.gen';
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!successor) return;
    change.mutate(
      { id: user.id, changes: { successor_id: successor.id } },
      {
        onSuccess: () => {
          const to = fullName(successor);
          notifications.show({ message: `What was ${fullName(user)}’s goes to ${to}.` });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog opened onClose={onClose} title={`Hand over what ${fullName(user)} has`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {change.error && <Problem error={change.error} />}
          <SuccessorField of={user} chosen={successor} onChoose={setSuccessor} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending} disabled={!successor}>
              Hand over
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
