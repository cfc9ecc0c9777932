/** A chart with its title and its most important number, or the same numbers as a table. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Skeleton, Title, VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, useId } from 'react';
import table from '../table.module.css';
import classes from './charts.module.css';
import {
  type Chart,
  chartInWords,
  formatValue,
  formatWholePeriod,
  isEmptyChart,
  type Periods,
} from './values.ts';

const TimeChart = lazy(() =>
  import('./time-chart.tsx').then(({ TimeChart: component }) => ({ default: component })),
);

type Props = {
  chart: Chart;
  /** When each period begins. */
  starts: readonly string[];
  periods: Periods;
  /** The table in place of the chart. */
  asTable?: boolean;
  height?: number;
};

export function ChartPanel({ asTable = false, height = 190, ...props }: Props) {
  const { chart, starts, periods } = props;
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <div className={classes.head}>
        <Title order={2} className={classes.title} id={id}>
          {chart.title}
        </Title>
        <div className={classes.total}>{chart.total}</div>
        {chart.note && <div className={classes.note}>{chart.note}</div>}
      </div>
      {asTable ? (
        <ValueTable {...props} />
      ) : isEmptyChart(chart) ? (
        <div className={classes.none} style={{ height }}>
          <Trans>Nothing in this time</Trans>
        </div>
      ) : (
        <>
          <VisuallyHidden>{chartInWords(chart, starts, periods)}</VisuallyHidden>
          <div aria-hidden>
            <Suspense fallback={<Skeleton height={height} radius="md" />}>
              <TimeChart {...props} height={height} />
            </Suspense>
            {chart.lines.some(({ label }) => label !== chart.title) && (
              <Legend lines={chart.lines} />
            )}
          </div>
        </>
      )}
    </section>
  );
}

const Legend = ({ lines }: Pick<Chart, 'lines'>) => (
  <ul className={classes.legend}>
    {lines.map(({ key, label, color, isDashed }) => (
      <li key={key}>
        <i style={{ background: color }} data-dashed={isDashed} />
        {label}
      </li>
    ))}
  </ul>
);

const headings = { hour: t`Hour`, day: t`Day`, week: t`Week`, month: t`Month` } as const;

/** The newest period first. */
function ValueTable({ chart, starts, periods }: Props) {
  const { lines, unit, title } = chart;
  return (
    // A scrolling part that has nothing to focus is not reached by keys otherwise.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes.numbers} tabIndex={0} aria-label={t`${title}, numbers`}>
      <table className={table.table}>
        <thead>
          <tr>
            <th>{headings[periods.bucket]}</th>
            {lines.map(({ key, label }) => (
              <th key={key} className={table.right}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {starts
            .map((time, at) => (
              <tr key={time}>
                <td className={table.quiet}>{formatWholePeriod(time, periods)}</td>
                {lines.map(({ key, values }) => (
                  <td key={key} className={`${table.right} figures`}>
                    {values[at] === undefined ? '–' : formatValue(values[at], unit)}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </section>
  );
}
