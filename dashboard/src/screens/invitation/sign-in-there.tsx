/** With an external identity provider, the first sign-in with the address asks whether to accept. */
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';

type Props = { email: string; onSignIn: () => void };

export const SignInThere = ({ email, onSignIn }: Props) => (
  <Stack gap="md" align="flex-start">
    <Text size="sm">
      <Trans>
        Sign in with {email} at your identity provider; then you are asked whether to join. If you
        are signed in there with another address, sign out there first.
      </Trans>
    </Text>
    <Button size="md" onClick={onSignIn}>
      <Trans>Sign in to join</Trans>
    </Button>
  </Stack>
);
