/** Shown while an answer is pending, or if it failed: a placeholder, or the reason. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type Query<Data> = {
  data: Data | undefined;
  error: unknown;
  isFetching: boolean;
  refetch: () => unknown;
};

type AwaitProps<Data> = {
  query: Query<Data>;
  /** Placeholder while there is no data; table rows by default. */
  loading?: ReactNode;
  children: (data: Data) => ReactNode;
};

export function Await<Data>({ query, loading = <LoadingRows />, children }: AwaitProps<Data>) {
  const { data, error, isFetching, refetch } = query;
  if (data !== undefined) {
    return (
      <>
        {error != null && <Problem error={error} onRetry={refetch} isRetrying={isFetching} />}
        {children(data)}
      </>
    );
  }
  if (error != null) return <Problem error={error} onRetry={refetch} isRetrying={isFetching} />;
  return loading;
}

export function LoadingRows({ rows = 6 }: { rows?: number }) {
  const widths = ['42%', '58%', '36%', '64%', '48%', '54%'];
  return (
    <Stack gap={18} py="md" role="status" aria-label={t`Loading`}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <Group key={row} gap="md" wrap="nowrap">
          <Skeleton height={20} width={20} radius="sm" />
          <Skeleton height={12} width={widths[row % widths.length] ?? '50%'} />
        </Group>
      ))}
    </Stack>
  );
}

type ProblemProps = {
  error: unknown;
  title?: string;
  onRetry?: () => unknown;
  isRetrying?: boolean;
};

/**
 * An error in plain words, with its id for support if there is one. Offers a retry if that may
 * help.
 */
export function Problem({ error, title, onRetry, isRetrying = false }: ProblemProps) {
  const { message, error_id } = wordsOf(error);
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title={title ?? titleOf(error)}
      mb="md"
    >
      <Text size="sm">{message}</Text>
      {error_id && (
        <Text size="xs" c="dimmed" mt={4}>
          <Trans>
            For support: <code>{error_id}</code>
          </Trans>
        </Text>
      )}
      {onRetry && mayPass(error) && (
        <Button size="xs" variant="default" mt="sm" loading={isRetrying} onClick={() => onRetry()}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </Alert>
  );
}

const titles: Record<number, string> = { 403: t`No access`, 404: t`Not there` };

const titleOf = (error: unknown) => titles[statusOf(error) ?? 0] ?? t`That did not work`;

/** Refusals are final; network failures, a busy server and rate limits are temporary. */
function mayPass(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status >= 500 || status === 408 || status === 429;
}

const statusOf = (error: unknown) => (error as { status?: number }).status;

export function wordsOf(error: unknown): { message: string; error_id?: string } {
  // Browsers word network failures differently, and unhelpfully.
  if (error instanceof TypeError) {
    return { message: t`The server cannot be reached. Check the connection and try again.` };
  }
  const { message, error_id } = error as { message?: string; error_id?: string };
  return {
    message: message ?? t`Something went wrong.`,
    ...(error_id === undefined ? {} : { error_id }),
  };
}
