/** What a run may spend and has spent, and what to do where that was too little. */
import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { formatValue } from '../../ui/charts/values.ts';

export const isOutOfCredits = ({ node_runs }: Run): boolean =>
  node_runs.some(({ error_class }) => error_class === 'insufficient_credits');

const inWords = (credits: number) => formatValue(credits, 'credits');

/** Only of a run with a limit of its own: others are counted with their organization. */
export const SpentCredits = ({ run: { max_credits, credits_used = 0 } }: { run: Run }) =>
  max_credits === undefined
    ? null
    : ` · ${t`${inWords(credits_used)} of at most ${inWords(max_credits)} credits spent`}`;

export function OutOfCredits({ run }: { run: Run }) {
  if (!isOutOfCredits(run)) return null;
  return (
    <Text size="sm" mt="xs">
      {run.max_credits === undefined ? (
        <>
          <Trans>
            Your organization had no credits left for it.{' '}
            <Link to="/settings/subscription">Subscription</Link> says what is left now, and when
            there are new ones; then restart what failed.
          </Trans>
        </>
      ) : (
        t`The run may spend at most ${inWords(run.max_credits)} credits. Restart what failed with a higher limit; what is done is not done again.`
      )}
    </Text>
  );
}
