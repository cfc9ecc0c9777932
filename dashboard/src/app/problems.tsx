/** Unknown addresses, and screens that failed to render. */
import { Box, Title } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Problem } from '../ui/await.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { Empty } from '../ui/empty.tsx';

export function RouteProblem({ error, reset }: ErrorComponentProps) {
  return (
    <Box component="main" maw={560} mx="auto" p="xl">
      <Title order={1} size="h3" mb="md">
        This page could not be shown
      </Title>
      <Problem error={error} onRetry={reset} />
    </Box>
  );
}

export function RouteUnknown() {
  return (
    <main>
      <Empty
        order={1}
        icon={<IconMapOff size={30} stroke={1.5} />}
        title="There is nothing here"
        action={<ButtonLink to="/files">Go to your files</ButtonLink>}
      >
        The address may be mistyped, or what it led to is gone.
      </Empty>
    </main>
  );
}
