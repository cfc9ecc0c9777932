/** Somebody is signed in in this browser: with another address, or with an account elsewhere. */
import type { Me, OpenInvitation } from '@cogworks/sdk/contract.gen';
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
        title={isSame ? 'You have an account already' : `You are signed in as ${me.email}`}
      >
        {isSame
          ? 'An account belongs to one organization, and this address has one elsewhere. Ask to be invited with another address.'
          : `This invitation is for ${invitation.email}. Sign out to accept it; it stays as it is until then.`}
      </Alert>
      <Group gap="sm">
        {!isSame && (
          <Button loading={leave.isPending} onClick={() => leave.mutate()}>
            Sign out and go on
          </Button>
        )}
        <ButtonLink to="/files" variant="default">
          Go to my files
        </ButtonLink>
      </Group>
    </Stack>
  );
}
