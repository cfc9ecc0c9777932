/** Settings › Subscription: what the organization may use, what it uses, and what happens at limits. */
import type { Subscription } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useMe } from '../../people.ts';
import { planTitle } from '../../plans.ts';
import { Await } from '../../ui/await.tsx';
import { formatValue } from '../../ui/charts/values.ts';
import { formatCount, formatSize } from '../../ui/format.ts';
import { Screen } from '../../ui/screen.tsx';
import { UsageBar } from '../../ui/usage-bar.tsx';
import { PeriodChart } from './period-chart.tsx';
import classes from './subscription.module.css';
import { addedWords, countedWords, dayOf, heldIn, heldWords, limitWords } from './usage.ts';

export function SubscriptionScreen() {
  const subscription = useQuery({
    queryKey: ['subscription'],
    queryFn: () => api.getSubscription(),
    // It is used while other screens are shown.
    refetchOnMount: 'always',
  });
  const { data: me } = useMe();
  return (
    <Screen
      title={t`Subscription`}
      description={t`What your organization may use, and what it uses. Limits are set by whoever runs this installation.`}
    >
      <Await query={subscription}>
        {(account) => (
          <>
            <Plan account={account} />
            <ul className={classes.usages}>
              <Usage
                label={t`Storage`}
                used={account.storage_used_bytes}
                limit={account.storage_limit_bytes}
                format={formatSize}
                words={countedWords.storage}
                atLimit={limitWords.storage}
              />
              <Usage
                label={t`Seats`}
                used={account.seats_used}
                limit={account.seats_limit}
                format={formatCount}
                words={countedWords.seats}
                atLimit={limitWords.seats}
              />
              <Credits account={account} />
            </ul>
            {me?.role === 'admin' && <PeriodChart account={account} />}
          </>
        )}
      </Await>
    </Screen>
  );
}

function Plan({ account }: { account: Subscription }) {
  const { period_start, period_end } = account;
  return (
    <section className={classes.plan} aria-label={t`Plan`}>
      <Title order={2} size="h3">
        {planTitle(account.plan.name, account)}
      </Title>
      <Text size="sm" c="var(--faint)">
        <Trans>
          This period began on {dayOf(period_start)}; the next one begins on {dayOf(period_end)}.
        </Trans>
      </Text>
    </section>
  );
}

type UsageProps = Parameters<typeof UsageBar>[0] & { words: string; atLimit: string };

const Usage = ({ words, atLimit, ...usage }: UsageProps) => (
  <li className={classes.usage}>
    <UsageBar {...usage} />
    <Text size="sm" c="var(--faint)" mt={10}>
      {words} {usage.limit !== undefined && atLimit}
    </Text>
  </li>
);

function Credits({ account }: { account: Subscription }) {
  const { credits_used, credits_remaining, credits_limit, credits_added, period_end } = account;
  const held = heldIn(account);
  const sentences = [
    held && credits_remaining !== undefined && heldWords(held, credits_remaining),
    credits_added && addedWords(credits_added),
    countedWords.credits,
  ];
  return (
    <Usage
      label={t`Credits`}
      used={credits_used}
      limit={credits_limit === undefined ? undefined : credits_limit + (credits_added ?? 0)}
      format={(value) => formatValue(value, 'credits')}
      words={sentences.filter(Boolean).join(' ')}
      atLimit={limitWords.credits(dayOf(period_end))}
    />
  );
}
