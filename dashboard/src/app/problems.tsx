/** Unknown addresses, and screens that failed to render. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Box, Button, Title } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Problem } from '../ui/await.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { Empty } from '../ui/empty.tsx';

export function RouteProblem({ error, reset }: ErrorComponentProps) {
  return (
    <Box component="main" maw={560} mx="auto" p="xl">
      <Title order={1} size="h3" mb="md">
        <Trans>This page could not be shown</Trans>
      </Title>
      {isUnloaded(error) ? <Unloaded /> : <Problem error={error} onRetry={reset} />}
    </Box>
  );
}

/** Browsers keep the failure to load a script until the page is loaded again. */
const Unloaded = () => (
  <Alert color="yellow" title={t`A part of it could not be loaded`} role="alert">
    <p>
      <Trans>The connection was lost, or Cogworks was updated meanwhile.</Trans>
    </p>
    <Button onClick={() => location.reload()}>
      <Trans>Load the page again</Trans>
    </Button>
  </Alert>
);

/** Each browser has words of its own for it. */
const isUnloaded = (error: unknown) =>
  error instanceof Error &&
  /dynamically imported module|importing a module script|preload CSS/i.test(error.message);

export function RouteUnknown() {
  return (
    <main>
      <Empty
        order={1}
        icon={<IconMapOff size={30} stroke={1.5} />}
        title={t`There is nothing here`}
        action={
          <ButtonLink to="/files">
            <Trans>Go to your files</Trans>
          </ButtonLink>
        }
      >
        <Trans>The address may be mistyped, or what it led to is gone.</Trans>
      </Empty>
    </main>
  );
}
