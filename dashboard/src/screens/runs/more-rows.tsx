/** How many rows of a long list are shown, and a button for more. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { formatCount } from '../../ui/format.ts';

type Props = {
  shown: number;
  total: number;
  isFetching: boolean;
  error: Error | null;
  onMore: () => void;
};

export function MoreRows({ shown, total, isFetching, error, onMore }: Props) {
  return (
    <>
      <Text size="sm" c={error ? 'var(--mantine-color-error)' : 'var(--faint)'} mt="md" ta="center">
        {error ? error.message : t`${formatCount(shown)} of ${formatCount(total)}`}
      </Text>
      <Button variant="subtle" fullWidth mt="xs" loading={isFetching} onClick={onMore}>
        <Trans>Show more</Trans>
      </Button>
    </>
  );
}
