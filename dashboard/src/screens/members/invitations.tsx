/** Invitations that nobody has accepted yet; each can get a new link, or be taken back. */
import type { Invitation } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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

type Asked = { action: 'renew' | 'revoke'; invitation: Invitation };

export function Invitations() {
  const invitations = useOpenInvitations(true);
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  return (
    <section aria-labelledby="open-invitations">
      <Title order={2} className={classes.section} id="open-invitations">
        <Trans>Open invitations</Trans>
      </Title>
      <Await query={invitations} loading={<LoadingRows rows={2} />}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="var(--faint)">
              <Trans>
                None. Whoever you invite is listed here until they accept, and takes a seat.
              </Trans>
            </Text>
          ) : (
            <InvitationTable rows={rows} onAsk={setAsked} />
          )
        }
      </Await>
      {asked?.action === 'renew' && <InviteDialog renewed={asked.invitation} onClose={close} />}
      {asked?.action === 'revoke' && (
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
          <th>
            <Trans>Address</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Role</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Invited</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Ends</Trans>
          </th>
          <th>
            <VisuallyHidden>
              <Trans>Actions</Trans>
            </VisuallyHidden>
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
                  <Trans>
                    {roleLabel(role)}, ends <Coming at={expires_at} />
                  </Trans>
                </span>
              </td>
              <td className={`${table.quiet} ${table.wide}`}>{roleLabel(role)}</td>
              <td className={`${table.quiet} ${table.wide}`}>
                {invited_by === me?.id ? (
                  <Trans>
                    <When at={created_at} /> by you
                  </Trans>
                ) : (
                  <Trans>
                    <When at={created_at} /> by {nameOf(invited_by)}
                  </Trans>
                )}
              </td>
              <td className={`${table.quiet} ${table.wide}`}>
                <Coming at={expires_at} />
              </td>
              <td className={table.right}>
                <div className={classes.actions}>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={t`New link for ${email}`}
                    onClick={() => onAsk({ action: 'renew', invitation })}
                  >
                    <Trans>New link</Trans>
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    aria-label={t`Take back the invitation of ${email}`}
                    onClick={() => onAsk({ action: 'revoke', invitation })}
                  >
                    <Trans>Take back</Trans>
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
        notifications.show({ message: t`The invitation of ${email} is taken back.` });
        onClose();
      },
    });
  return (
    <Confirm
      opened
      title={t`Take back the invitation`}
      verb={t`Take back`}
      isBusy={takeBack.isPending}
      error={takeBack.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Trans>
        The link that was sent to {email} stops working at once, and the seat becomes free.
      </Trans>
    </Confirm>
  );
}
