/**
 * A chart of values by periods. The library is large: chart-panel.tsx loads this module when there
 * is a chart to draw, and nothing else imports it.
 */
import '@mantine/charts/styles.css';
import { AreaChart, BarChart, LineChart } from '@mantine/charts';
import classes from './charts.module.css';
import {
  type Chart,
  formatPeriod,
  formatTick,
  formatValue,
  formatWholePeriod,
  type Periods,
  tickCountOf,
} from './values.ts';

type Props = { chart: Chart; starts: readonly string[]; periods: Periods; height: number };

export function TimeChart({ chart, starts, periods, height }: Props) {
  const { kind, unit, lines } = chart;
  const common = {
    h: height,
    dataKey: 't',
    data: starts.map((t, at) => ({
      t,
      ...Object.fromEntries(lines.map(({ key, values }) => [key, values[at] ?? null])),
    })),
    series: lines.map(({ key, label, color, isDashed }) => ({
      name: key,
      label,
      color,
      ...(isDashed ? { strokeDasharray: '5 4' } : {}),
    })),
    valueFormatter: (value: number) => formatValue(value, unit),
    classNames: { tooltip: classes.tooltip, tooltipLabel: classes.tooltipLabel },
    // The panel has a list of the lines that stays where it is.
    withLegend: false,
    tickLine: 'none' as const,
    strokeDasharray: '0',
    gridColor: 'var(--line)',
    textColor: 'var(--faint)',
    // The text beside it says the same, and the table all of it.
    accessibilityLayer: false,
    xAxisProps: {
      tickFormatter: (t: string) => formatPeriod(t, periods),
      minTickGap: 28,
      padding: { left: 4, right: 4 },
    },
    yAxisProps: {
      width: 'auto' as const,
      tickFormatter: (value: number) => formatTick(value, unit),
      allowDecimals: unit !== 'count' && unit !== 'bytes',
      tickCount: tickCountOf(chart),
    },
    tooltipProps: {
      // It is also asked while the mouse is nowhere.
      labelFormatter: (t: unknown) =>
        typeof t === 'string' && t !== '' ? formatWholePeriod(t, periods) : '',
    },
  };
  if (kind === 'area')
    return <AreaChart {...common} curveType="linear" withDots={false} strokeWidth={2} />;
  if (kind === 'lines')
    return <LineChart {...common} curveType="linear" connectNulls={false} dotProps={{ r: 2 }} />;
  return (
    <BarChart
      {...common}
      type="stacked"
      maxBarWidth={36}
      // A line between the parts of a bar, for those to whom two colours look alike.
      barProps={{ stroke: 'var(--surface)', strokeWidth: 1, strokeOpacity: 1 }}
    />
  );
}
