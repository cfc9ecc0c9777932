/** What charts and their tables draw, and their numbers and periods in words. Pure. */
import { plural, t } from '@lingui/core/macro';
import { formatCount, formatDuration, formatSize } from '../format.ts';
import { locale } from '../language.ts';

export type Unit = 'count' | 'seconds' | 'credits' | 'bytes';

/** Of a period: when it begins, and how long it is. */
export type Periods = { bucket: 'hour' | 'day' | 'week' | 'month'; tz: string };

export type ChartLine = {
  key: string;
  label: string;
  /** For each period; undefined where there is nothing to measure. */
  values: readonly (number | undefined)[];
  /** A CSS colour. */
  color: string;
  isDashed?: boolean;
};

export type Chart = {
  title: string;
  /** The most important number, in words. */
  total: string;
  note?: string;
  unit: Unit;
  /** Bars of several lines are stacked: they are parts of a whole. */
  kind: 'bars' | 'lines' | 'area';
  lines: readonly ChartLine[];
};

/** Thousandths of credits are counted; of many credits they say nothing. */
const fewCredits = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
const credits = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

export function formatValue(value: number, unit: Unit): string {
  if (unit === 'bytes') return formatSize(value);
  if (unit === 'seconds') return formatDuration(value * 1000);
  if (unit === 'credits') return (value < 10 ? fewCredits : credits).format(value);
  return formatCount(value);
}

/** On an axis, where there is little room. */
export function formatTick(value: number, unit: Unit): string {
  if (unit === 'bytes') return formatSize(value).replace('.0 ', ' ');
  if (unit === 'seconds') return shortDuration(value);
  return compact.format(value);
}

const compact = new Intl.NumberFormat(locale, {
  notation: 'compact',
  maximumSignificantDigits: 3,
});

const few = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, useGrouping: false });

function shortDuration(seconds: number): string {
  if (seconds < 120) return t`${few.format(seconds)} s`;
  if (seconds < 7200) return t`${few.format(seconds / 60)} min`;
  return t`${few.format(seconds / 3600)} h`;
}

/** The beginning of a period, short. */
export function formatPeriod(time: string, { bucket, tz }: Periods): string {
  const at = new Date(time);
  if (bucket === 'month') return format(at, tz, { month: 'short', year: 'numeric' });
  const day = format(at, tz, { day: 'numeric', month: 'short' });
  if (bucket !== 'hour') return day;
  const clock = format(at, tz, { hour: '2-digit', minute: '2-digit' });
  return clock === '00:00' ? day : clock;
}

/** A period in full. */
export function formatWholePeriod(time: string, { bucket, tz }: Periods): string {
  const at = new Date(time);
  if (bucket === 'month') return format(at, tz, { month: 'long', year: 'numeric' });
  const day = format(at, tz, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  if (bucket === 'week') return t`Week from ${day}`;
  if (bucket === 'day') return day;
  return `${day}, ${format(at, tz, { hour: '2-digit', minute: '2-digit' })}`;
}

const format = (at: Date, timeZone: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(at);

export const isEmptyChart = ({ lines }: Chart): boolean =>
  lines.every(({ values }) => values.every((value) => value === undefined || value === 0));

/** How high each period is drawn: bars are stacked. */
const heightsOf = ({ lines, kind }: Chart, periods: number): number[] =>
  Array.from({ length: periods }, (_, at) => {
    const values = lines.map((line) => line.values[at] ?? 0);
    return kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
  });

/** How many ticks its axis has: of few things, no more than there are whole numbers. */
export function tickCountOf(chart: Chart): number {
  if (chart.unit !== 'count') return 4;
  const highest = Math.max(...heightsOf(chart, chart.lines[0]?.values.length ?? 0), 1);
  return Math.min(4, highest + 1);
}

const ranges: Record<Periods['bucket'], (count: number) => string> = {
  hour: (count) => plural(count, { one: 'Chart of # hour.', other: 'Chart of # hours.' }),
  day: (count) => plural(count, { one: 'Chart of # day.', other: 'Chart of # days.' }),
  week: (count) => plural(count, { one: 'Chart of # week.', other: 'Chart of # weeks.' }),
  month: (count) => plural(count, { one: 'Chart of # month.', other: 'Chart of # months.' }),
};

/** A chart in sentences, for those who do not see it. */
export function chartInWords(chart: Chart, starts: readonly string[], periods: Periods): string {
  const { title, total, unit } = chart;
  const heights = heightsOf(chart, starts.length);
  const most = Math.max(...heights, 0);
  const peak = starts[heights.indexOf(most)];
  const known = [t`${title}: ${total}.`, ranges[periods.bucket](starts.length)];
  if (most > 0 && peak !== undefined) {
    const value = formatValue(most, unit);
    known.push(t`The highest value is ${value}, ${formatWholePeriod(peak, periods)}.`);
  }
  return known.join(' ');
}
