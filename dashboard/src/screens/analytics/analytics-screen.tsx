/** Analytics: what happened, in charts and numbers. The URL has all that is chosen. */
import type { Me, Report } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, SegmentedControl, Skeleton, Tabs, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMe } from '../../people.ts';
import { Await } from '../../ui/await.tsx';
import { ChartPanel } from '../../ui/charts/chart-panel.tsx';
import panels from '../../ui/charts/charts.module.css';
import { formatWholePeriod, type Periods } from '../../ui/charts/values.ts';
import { Screen } from '../../ui/screen.tsx';
import table from '../../ui/table.module.css';
import { ownZone } from '../../ui/zones.ts';
import classes from './analytics.module.css';
import { chartsOf, isEmptyReport, subjectsOf } from './charts.ts';
import { Filters } from './filters.tsx';
import { NothingHappened } from './nothing-happened.tsx';
import { useReport, useReportDownload } from './queries.ts';
import { type ReportName, reportNames, type View } from './view.ts';

const labels: Record<ReportName, string> = {
  overview: t`Overview`,
  runs: t`Runs`,
  nodes: t`Nodes`,
  workers: t`Workers`,
  users: t`Users`,
  storage: t`Storage`,
  credits: t`Credits`,
};

export function AnalyticsScreen() {
  const view = useSearch({ from: '/shell/analytics' });
  const { report: name = 'overview', numbers = false, tz: timezone = ownZone() } = view;
  const navigate = useNavigate();
  const change = (changes: View) =>
    void navigate({ to: '/analytics', search: { ...view, ...changes }, replace: true });
  const { data: me } = useMe();
  const { report: _, numbers: __, ...range } = view;
  const report = useReport(name, range, timezone);
  const download = useReportDownload(name, range, timezone);
  return (
    <Screen
      title={t`Analytics`}
      description={describe(me, view.tenant)}
      actions={
        <Button
          variant="default"
          leftSection={<IconDownload size={17} />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          <Trans>Download CSV</Trans>
        </Button>
      }
    >
      <Tabs
        value={name}
        onChange={(value) =>
          change({ report: value === 'overview' ? undefined : (value as ReportName) })
        }
      >
        <Tabs.List className={classes.tabs}>
          {reportNames.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {labels[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={name}>
          <Filters
            view={view}
            timezone={timezone}
            onChange={change}
            hasTenants={me?.is_platform_admin === true}
          />
          <Await query={report} loading={<LoadingCharts />}>
            {(data) => (
              <div className={report.isPlaceholderData ? classes.waiting : undefined}>
                {isEmptyReport(data) ? (
                  <NothingHappened name={name} />
                ) : (
                  <Shown
                    name={name}
                    report={data}
                    numbers={numbers}
                    onNumbers={(on) => change({ numbers: on || undefined })}
                  />
                )}
              </div>
            )}
          </Await>
        </Tabs.Panel>
      </Tabs>
    </Screen>
  );
}

function describe(me: Me | undefined, tenant: number | undefined): string {
  if (me?.is_platform_admin !== true || tenant === me.tenant_id)
    return t`What happened in your organization. Deleted runs still count.`;
  return tenant === undefined
    ? t`What happened in all organizations. Deleted runs still count.`
    : t`What happened in one organization. Deleted runs still count.`;
}

type ShownProps = {
  name: ReportName;
  report: Report;
  numbers: boolean;
  onNumbers: (on: boolean) => void;
};

function Shown({ name, report, numbers, onNumbers }: ShownProps) {
  const starts = report.series[0]?.points.map((point) => point.t) ?? [];
  const charts = chartsOf(name, report);
  return (
    <>
      <div className={classes.above}>
        <Text size="sm" c="var(--faint)">
          {rangeInWords(starts, report)}
        </Text>
        <SegmentedControl
          size="xs"
          withItemsBorders={false}
          aria-label={t`Shown as`}
          value={numbers ? 'numbers' : 'charts'}
          onChange={(value) => onNumbers(value === 'numbers')}
          data={[
            { value: 'charts', label: t`Charts` },
            { value: 'numbers', label: t`Numbers` },
          ]}
        />
      </div>
      <div className={panels.panels} data-single={charts.length === 1 || undefined}>
        {charts.map((chart) => (
          <ChartPanel
            key={chart.title}
            chart={chart}
            starts={starts}
            periods={report}
            asTable={numbers}
            {...(charts.length === 1 ? { height: 300 } : {})}
          />
        ))}
      </div>
      <Subjects name={name} report={report} />
    </>
  );
}

function rangeInWords(starts: readonly string[], periods: Periods): string {
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return '';
  const words = formatWholePeriod(first, periods);
  return first === last ? words : `${words} – ${formatWholePeriod(last, periods)}`;
}

/** In the whole range. */
function Subjects({ name, report }: { name: ReportName; report: Report }) {
  const subjects = subjectsOf(name, report);
  if (!subjects || subjects.rows.length === 0) return null;
  const { title, label, columns, rows } = subjects;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on phones, also by keys
    <section className={classes.subjects} tabIndex={0} aria-label={label}>
      <table className={table.table}>
        <thead>
          <tr>
            <th>{title}</th>
            {columns.map((column) => (
              <th key={column} className={table.right}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name: subject, cells }) => (
            <tr key={id}>
              <td style={{ fontWeight: 520 }}>{subject}</td>
              {cells.map((cell, at) => (
                <td key={columns[at]} className={`${table.right} figures`}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const LoadingCharts = () => (
  <div className={panels.panels} role="status" aria-label={t`Loading`}>
    {['a', 'b', 'c', 'd'].map((key) => (
      <Skeleton key={key} height={270} radius={14} />
    ))}
  </div>
);
