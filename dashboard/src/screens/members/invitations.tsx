/** Invitations that nobody has accepted yet; each can get a new link, or be taken back. */
import type { Invitation } from '@cogworks/sdk/contract.gen';
import { Button, Text, Title, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useMe, useNames } from '../../people.ts';
import { Await, LoadingRows } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import table from '../../ui/table.module.css';
import { Coming, When } from '../../ui/when.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import classes from './members.module.css';
import { useOpenInvitations, useTakeBackInvitation } from './queries.ts';
import { roleLabel } from './roles.tsx';

type Asked = { action: 'renew' | 'take back'; invitation: Invitation };

export function Invitations() {
  const invitations = useOpenInvitations(true);
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  return (
    <section aria-labelledby="open-invitations">
      <Title order={2} className={classes.section} id="open-invitations">
        Open invitations
      </Title>
      <Await query={invitations} loading={<LoadingRows rows={2} />}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="var(--faint)">
              None. Whoever you invite is listed here until they accept, and takes a seat.
            </Text>
          ) : (
            <InvitationTable rows={rows} onAsk={setAsked} />
          )
        }
      </Await>
      {asked?.action === 'renew' && <InviteDialog renewed={asked.invitation} onClose={close} />}
      {asked?.action === 'take back' && (
        <TakeBackDialog invitation={asked.invitation} onClose={close} />
      )}
    </section>
  );
}

type TableProps = { rows: readonly Invitation[]; onAsk: (asked: Asked) => void };

function InvitationTable({ rows, onAsk }: TableProps) {
  const nameOf = useNames();
  const { data: me } = useMe();
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>Address</th>
          <th className={table.wide}>Role</th>
          <th className={table.wide}>Invited</th>
          <th className={table.wide}>Ends</th>
          <th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((invitation) => {
          const { id, email, role, invited_by, created_at, expires_at } = invitation;
          return (
            <tr key={id}>
              <td>
                <span style={{ fontWeight: 520 }}>{email}</span>
                <span className={classes.below}>
                  {roleLabel(role)}, ends <Coming at={expires_at} />
                </span>
              </td>
              <td className={`${table.quiet} ${table.wide}`}>{roleLabel(role)}</td>
              <td className={`${table.quiet} ${table.wide}`}>
                <When at={created_at} /> by {invited_by === me?.id ? 'you' : nameOf(invited_by)}
              </td>
              <td className={`${table.quiet} ${table.wide}`}>
                <Coming at={expires_at} />
              </td>
              <td className={table.right}>
                <div className={classes.actions}>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={`New link for ${email}`}
                    onClick={() => onAsk({ action: 'renew', invitation })}
                  >
                    New link
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    aria-label={`Take back the invitation of ${email}`}
                    onClick={() => onAsk({ action: 'take back', invitation })}
                  >
                    Take back
                  </Button>
                </div>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

type TakeBackProps = { invitation: Invitation; onClose: () => void };

function TakeBackDialog({ invitation: { id, email }, onClose }: TakeBackProps) {
  const takeBack = useTakeBackInvitation();
  const confirm = () =>
    takeBack.mutate(id, {
      onSuccess: () => {
        notifications.show({ message: `The invitation of ${email} is taken back.` });
        onClose();
      },
    });
  return (
    <Confirm
      opened
      title="Take back the invitation"
      verb="Take back"
      isBusy={takeBack.isPending}
      error={takeBack.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      The link that was sent to {email} stops working at once, and the seat becomes free.
    </Confirm>
  );
}
