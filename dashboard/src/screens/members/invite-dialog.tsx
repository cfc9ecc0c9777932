/** Invites an address, and shows the link, once: no later answer contains it. */
import type { Invitation, InvitationRequest, NewInvitation } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Problem } from '../../ui/await.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatMinute } from '../../ui/format.ts';
import { useInvite } from './queries.ts';
import { roleChoices, roleMeans } from './roles.tsx';

type Props = {
  /** An open invitation that gets another link; a new one otherwise. */
  renewed?: Invitation;
  onClose: () => void;
};

export function InviteDialog({ renewed: first, onClose }: Props) {
  const [renewed, setRenewed] = useState(first);
  const invite = useInvite();
  const another = () => {
    invite.reset();
    setRenewed(undefined);
  };
  if (invite.data) {
    return (
      <Dialog opened onClose={onClose} title={t`Invitation of ${invite.data.email}`}>
        <Link invitation={invite.data} onAnother={another} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog
      opened
      onClose={onClose}
      title={renewed ? t`New link for ${renewed.email}` : t`Invite somebody`}
    >
      <InviteForm
        renewed={renewed}
        isBusy={invite.isPending}
        error={invite.error}
        onSubmit={(request) => invite.mutate(request)}
        onClose={onClose}
      />
    </Dialog>
  );
}

type FormProps = {
  renewed: Invitation | undefined;
  isBusy: boolean;
  error: unknown;
  onSubmit: (request: InvitationRequest) => void;
  onClose: () => void;
};

function InviteForm({ renewed, isBusy, error, onSubmit, onClose }: FormProps) {
  const [email, setEmail] = useState(renewed?.email ?? '');
  const [role, setRole] = useState(renewed?.role ?? 'member');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ email: email.trim(), role });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {error != null && <Problem error={error} title={titleOf(error)} />}
        {renewed ? (
          <Text size="sm">
            <Trans>
              The link that was sent before stops working, and the new one is good for seven days.
            </Trans>
          </Text>
        ) : (
          <TextInput
            label={t`E-mail address`}
            type="email"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            maxLength={320}
            autoComplete="off"
            data-autofocus
          />
        )}
        <Radio.Group
          label={t`Role`}
          value={role}
          onChange={(value) => setRole(value as InvitationRequest['role'])}
        >
          <Stack gap="sm" mt={8}>
            {roleChoices.map(({ value, label }) => (
              <Radio key={value} value={value} label={label} description={roleMeans(value)} />
            ))}
          </Stack>
        </Radio.Group>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={isBusy} onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isBusy} disabled={!email.trim()}>
            {renewed ? t`Make a new link` : t`Invite`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const titleOf = (error: unknown) =>
  error instanceof ApiError && error.code === 'quota_exceeded'
    ? t`No seat is left`
    : t`The invitation was not made`;

type LinkProps = { invitation: NewInvitation; onAnother: () => void; onClose: () => void };

function Link({ invitation, onAnother, onClose }: LinkProps) {
  const { email, is_mailed, link, expires_at } = invitation;
  return (
    <Stack gap="md">
      <Text size="sm">
        {is_mailed
          ? t`A mail with this link is on its way to ${email}. You can hand it over yourself as well.`
          : t`No mail is sent: hand this link over to ${email} yourself.`}
      </Text>
      <CopyField label={t`Link`} value={link} />
      <Text size="sm" c="var(--faint)">
        <Trans>
          It works once, until {formatMinute(expires_at)}, and is shown only now. If it gets lost,
          make a new one in the list of open invitations.
        </Trans>
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onAnother}>
          <Trans>Invite another</Trans>
        </Button>
        <Button onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
