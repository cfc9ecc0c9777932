/** The page to which the provider redirects after sign-in; redirects to the user's destination. */
import { Trans } from '@lingui/react/macro';
import { Anchor, Center, Loader, Stack, Text, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Problem } from '../ui/await.tsx';
import { session } from './session.ts';

// The code in the URL works once, but React runs effects twice during development.
let finishing: Promise<string> | undefined;

export function SignInCallback() {
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    finishing ??= session.finishSignIn(new URLSearchParams(location.search));
    finishing.then((to) => navigate({ to, replace: true }), setError);
  }, [navigate]);

  return (
    <Center component="main" mih="100dvh" p="md">
      {error === undefined ? (
        <Stack align="center" gap="sm" role="status">
          <Loader size="sm" />
          <Text size="sm" c="var(--faint)">
            <Trans>Signing in …</Trans>
          </Text>
        </Stack>
      ) : (
        <div style={{ maxWidth: 420 }}>
          <Title order={1} size="h3" mb="md">
            <Trans>You could not be signed in</Trans>
          </Title>
          <Problem error={error} />
          <Anchor href="/app/">
            <Trans>Try again</Trans>
          </Anchor>
        </div>
      )}
    </Center>
  );
}
