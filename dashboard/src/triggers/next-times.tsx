/** The next times of a schedule, with a mark where clocks change. */
import type { ComingTick } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { IconClockExclamation } from '@tabler/icons-react';
import { locale } from '../ui/language.ts';
import { markedTicks } from './clock-changes.ts';
import classes from './triggers.module.css';

type Props = { ticks: readonly ComingTick[]; timezone: string };

export function NextTimes({ ticks, timezone }: Props) {
  if (ticks.length === 0) {
    return (
      <Text size="sm" c="var(--faint)">
        <Trans>It never fires again.</Trans>
      </Text>
    );
  }
  return (
    <ol className={classes.times} aria-label={t`Next times`}>
      {markedTicks(ticks, timezone, new Date()).map(({ at, local_time, change }) => (
        <li key={at}>
          <time dateTime={at} title={new Date(at).toLocaleString(locale)}>
            {dayOf(local_time)}
          </time>
          {change && (
            <span className={classes.change}>
              <IconClockExclamation size={14} aria-hidden />
              {change}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

/** `Sun 28 Mar 2027, 03:30`, whatever the zone: it is what clocks show there. */
function dayOf(local: string): string {
  const [day = '', time = ''] = local.split(' ');
  const date = new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  return `${date}, ${time}`;
}
