/** Asks before a member becomes an admin, or an admin a member. */
import type { User } from '@cogworks/sdk/contract.gen';
import { notifications } from '@mantine/notifications';
import { fullName } from '../../people.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useChangeMember } from './queries.ts';
import { roleLabel, roleMeans } from './roles.tsx';

type Props = { user: User; isMe: boolean; onClose: () => void };

export function RoleDialog({ user, isMe, onClose }: Props) {
  const change = useChangeMember();
  const role = user.role === 'admin' ? 'member' : 'admin';
  const label = roleLabel(role).toLowerCase();
  const name = isMe ? 'yourself' : fullName(user);
  const confirm = () =>
    change.mutate(
      { id: user.id, changes: { role } },
      {
        onSuccess: () => {
          const who = isMe ? 'You are' : `${fullName(user)} is`;
          notifications.show({ message: `${who} now ${articleOf(label)} ${label}.` });
          onClose();
        },
      },
    );
  return (
    <Confirm
      opened
      title={`Make ${name} ${articleOf(label)} ${label}`}
      verb={`Make ${label}`}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {roleLabel(role)}: {roleMeans(role)}
      {role === 'member' &&
        ` Open invitations and tokens for workers that ${isMe ? 'you' : 'they'} made end.`}
      {isMe && ' Only another administrator can make you one again.'}
    </Confirm>
  );
}

const articleOf = (label: string) => (/^[aeiou]/.test(label) ? 'an' : 'a');
