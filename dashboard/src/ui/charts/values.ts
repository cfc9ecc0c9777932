/** What charts and their tables draw, and their numbers and periods in words. Pure. */
import { formatCount, formatDuration, formatSize, plural } from '../format.ts';
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

function shortDuration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 7200) return `${Math.round(seconds / 6) / 10} min`;
  return `${Math.round(seconds / 360) / 10} h`;
}

/** The beginning of a period, short. */
export function formatPeriod(t: string, { bucket, tz }: Periods): string {
  const at = new Date(t);
  if (bucket === 'month') return format(at, tz, { month: 'short', year: 'numeric' });
  const day = format(at, tz, { day: 'numeric', month: 'short' });
  if (bucket !== 'hour') return day;
  const time = format(at, tz, { hour: '2-digit', minute: '2-digit' });
  return time === '00:00' ? day : time;
}

/** A period in full. */
export function formatWholePeriod(t: string, { bucket, tz }: Periods): string {
  const at = new Date(t);
  if (bucket === 'month') return format(at, tz, { month: 'long', year: 'numeric' });
  const day = format(at, tz, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  if (bucket === 'week') return `Week from ${day}`;
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

/** A chart in sentences, for those who do not see it. */
export function chartInWords(chart: Chart, starts: readonly string[], periods: Periods): string {
  const { title, total, unit } = chart;
  const heights = heightsOf(chart, starts.length);
  const most = Math.max(...heights, 0);
  const peak = starts[heights.indexOf(most)];
  const range = `Chart of ${plural(starts.length, periods.bucket)}.`;
  if (most === 0 || peak === undefined) return `${title}: ${total}. ${range}`;
  const when = formatWholePeriod(peak, periods);
  return `${title}: ${total}. ${range} The highest value is ${formatValue(most, unit)}, ${when}.`;
}
