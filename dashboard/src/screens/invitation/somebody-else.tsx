/** Somebody is signed in in this browser: with another address, or with an account elsewhere. */
import type { Me, OpenInvitation } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconUserExclamation } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Problem } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';

type Props = {
  invitation: OpenInvitation;
  me: Me;
  signOut: () => Promise<void>;
  onSignedOut: () => Promise<unknown>;
};

export function SomebodyElse({ invitation, me, signOut, onSignedOut }: Props) {
  const leave = useMutation({
    mutationFn: async () => {
      await signOut();
      await onSignedOut();
    },
  });
  const isSame = me.email.toLowerCase() === invitation.email.toLowerCase();
  return (
    <Stack gap="md">
      {leave.error && <Problem error={leave.error} />}
      <Alert
        color="yellow"
        icon={<IconUserExclamation size={18} />}
        title={isSame ? t`You have an account already` : t`You are signed in as ${me.email}`}
      >
        {isSame
          ? t`An account belongs to one organization, and this address has one elsewhere. Ask to be invited with another address.`
          : t`This invitation is for ${invitation.email}. Sign out to accept it; it stays as it is until then.`}
      </Alert>
      <Group gap="sm">
        {!isSame && (
          <Button loading={leave.isPending} onClick={() => leave.mutate()}>
            <Trans>Sign out and go on</Trans>
          </Button>
        )}
        <ButtonLink to="/files" variant="default">
          <Trans>Go to my files</Trans>
        </ButtonLink>
      </Group>
    </Stack>
  );
}
