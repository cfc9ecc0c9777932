/** The credits of the current period, day by day; for admins, as analytics are. */
import type { Subscription } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useMe } from '../../people.ts';
import { Await } from '../../ui/await.tsx';
import { ChartPanel } from '../../ui/charts/chart-panel.tsx';
import { cssColor, only } from '../../ui/charts/colors.ts';
import { formatValue } from '../../ui/charts/values.ts';
import classes from './subscription.module.css';

export function PeriodChart({ account: { period_start } }: { account: Subscription }) {
  const { data: me } = useMe();
  const report = useQuery({
    queryKey: ['analytics', 'period', period_start, me?.tenant_id],
    queryFn: () => {
      // Of a platform admin's own organization, too.
      const tenant_id = me?.tenant_id;
      return api.getCreditsReport({
        query: {
          ...{ from: period_start, to: new Date().toISOString(), bucket: 'day' },
          // Periods begin at midnight there, so that the days add up to what the bar shows.
          tz: 'UTC',
          ...(tenant_id && { tenant_id }),
        },
      });
    },
    enabled: me !== undefined,
  });
  return (
    <div className={classes.chart}>
      <Await query={report} loading={null}>
        {(data) => {
          const credits = data.series.find(({ key }) => key === 'credits');
          const title = t`Credits used in this period`;
          const points = credits?.points ?? [];
          return (
            <ChartPanel
              chart={{
                title,
                total: formatValue(data.totals.credits ?? 0, 'credits'),
                unit: 'credits',
                kind: 'bars',
                lines: [
                  {
                    key: 'credits',
                    label: title,
                    values: points.map(({ value }) => value),
                    color: cssColor(only),
                  },
                ],
              }}
              starts={points.map(({ t: start }) => start)}
              periods={data}
            />
          );
        }}
      </Await>
      <Link to="/analytics" search={{ report: 'credits' }} className={classes.more}>
        <Trans>By workflow, in Analytics</Trans>
      </Link>
    </div>
  );
}
