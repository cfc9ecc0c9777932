/** Asks before a member becomes an admin, or an admin a member. */
import type { User } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { fullName } from '../../people.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useChangeMember } from './queries.ts';
import { roleLabel, roleMeans } from './roles.tsx';

type Props = { user: User; isMe: boolean; onClose: () => void };

export function RoleDialog({ user, isMe, onClose }: Props) {
  const change = useChangeMember();
  const role = user.role === 'admin' ? 'member' : 'admin';
  const words =
    role === 'admin'
      ? wordsOfAdmin(fullName(user))
      : isMe
        ? ownWords
        : wordsOfMember(fullName(user));
  const confirm = () =>
    change.mutate(
      { id: user.id, changes: { role } },
      {
        onSuccess: () => {
          notifications.show({ message: words.done });
          onClose();
        },
      },
    );
  return (
    <Confirm
      opened
      title={words.title}
      verb={words.verb}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {[`${roleLabel(role)}: ${roleMeans(role)}`, ...words.follows].join(' ')}
    </Confirm>
  );
}

/** What follows are sentences. */
type Words = { title: string; verb: string; done: string; follows: readonly string[] };

const wordsOfAdmin = (name: string): Words => ({
  title: t`Make ${name} an administrator`,
  verb: t`Make administrator`,
  done: t`${name} is now an administrator.`,
  follows: [],
});

const wordsOfMember = (name: string): Words => ({
  title: t`Make ${name} a member`,
  verb: t`Make member`,
  done: t`${name} is now a member.`,
  follows: [t`Open invitations and tokens for workers that they made end.`],
});

/** Only admins change roles: nobody makes themselves one. */
const ownWords: Words = {
  title: t`Make yourself a member`,
  verb: t`Make member`,
  done: t`You are now a member.`,
  follows: [
    t`Open invitations and tokens for workers that you made end.`,
    t`Only another administrator can make you one again.`,
  ],
};
