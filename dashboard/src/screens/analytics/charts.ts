/** Which charts a report has. Pure. */
import type { Report } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { cssColor, kinds, only, others, outcomes } from '../../ui/charts/colors.ts';
import { type Chart, type ChartLine, formatValue } from '../../ui/charts/values.ts';
import type { ReportName } from './view.ts';

type Series = Report['series'][number];
type Charts = Record<ReportName, (report: Report) => Chart[]>;

export const chartsOf = (name: ReportName, report: Report): Chart[] => reports[name](report);

const reports: Charts = {
  overview: (report) => [
    bars(report, t`Runs started`, 'runs_started'),
    bars(report, t`Runs ended`, 'runs_finished'),
    bars(report, t`Containers run`, 'containers'),
    bars(report, t`Credits used`, 'credits'),
    bars(report, t`Active users`, 'active_users'),
    stored(report),
  ],
  runs: (report) => [outcomesOf(report), bars(report, t`Started`, 'started'), durations(report)],
  nodes: (report) =>
    containers(report, {
      attempts: t`Containers by node definition`,
      failures: t`Failures by node definition`,
      seconds: t`Time by node definition`,
    }),
  workers: (report) =>
    containers(report, {
      attempts: t`Containers by worker`,
      failures: t`Failures by worker`,
      seconds: t`Time by worker`,
    }),
  users: (report) => [
    { ...bars(report, t`Active users`, 'active_users'), note: t`each counted once` },
    bySubject(report, { title: t`Runs by user`, prefix: 'runs', unit: 'count' }),
  ],
  storage: (report) => [stored(report)],
  credits: (report) => [
    bySubject(report, {
      title: t`Credits by workflow`,
      prefix: 'credits',
      unit: 'credits',
      whole: seriesOf(report, 'credits'),
    }),
  ],
};

const seriesOf = ({ series }: Report, key: string): Series | undefined =>
  series.find((one) => one.key === key);

const valuesOf = (series: Series | undefined) => series?.points.map(({ value }) => value) ?? [];

function line(series: Series | undefined, label: string, color: string): ChartLine {
  return { key: series?.key ?? label, label, values: valuesOf(series), color };
}

function bars(report: Report, title: string, key: string): Chart {
  const series = seriesOf(report, key);
  const unit = series?.unit ?? 'count';
  return {
    title,
    total: formatValue(report.totals[key] ?? 0, unit),
    unit,
    kind: 'bars',
    lines: [line(series, title, cssColor(only))],
  };
}

function stored(report: Report): Chart {
  const series = seriesOf(report, 'stored_bytes');
  const [first = 0] = valuesOf(series);
  const total = report.totals.stored_bytes ?? 0;
  const change = total - first;
  const amount = `${change < 0 ? '−' : '+'}${formatValue(Math.abs(change), 'bytes')}`;
  return {
    title: t`Stored`,
    total: formatValue(total, 'bytes'),
    ...(change === 0 ? {} : { note: sinceFirst[report.bucket](amount) }),
    unit: 'bytes',
    kind: 'area',
    lines: [line(series, t`Stored`, cssColor(only))],
  };
}

const sinceFirst: Record<Report['bucket'], (amount: string) => string> = {
  hour: (amount) => t`${amount} since the end of the first hour`,
  day: (amount) => t`${amount} since the end of the first day`,
  week: (amount) => t`${amount} since the end of the first week`,
  month: (amount) => t`${amount} since the end of the first month`,
};

const outcomeLabels = {
  success: t`Succeeded`,
  partial_success: t`In part`,
  failure: t`Failed`,
  cancelled: t`Cancelled`,
} as const;

function outcomesOf(report: Report): Chart {
  const keys = Object.keys(outcomeLabels) as (keyof typeof outcomeLabels)[];
  const total = keys.reduce((sum, key) => sum + (report.totals[key] ?? 0), 0);
  const failed = report.totals.failure ?? 0;
  return {
    title: t`Ended, by outcome`,
    total: formatValue(total, 'count'),
    ...(failed === 0 ? {} : { note: t`${{ share: percent(failed / total) }} failed` }),
    unit: 'count',
    kind: 'bars',
    lines: keys.map((key) =>
      line(seriesOf(report, key), outcomeLabels[key], cssColor(outcomes[key])),
    ),
  };
}

/** Periods without a run have no duration; the service says 0. */
function durations(report: Report): Chart {
  const measured = (key: string, label: string, color: string): ChartLine => {
    const all = line(seriesOf(report, key), label, color);
    return { ...all, values: all.values.map((value) => value || undefined) };
  };
  const words = (key: string) => formatValue(report.totals[key] ?? 0, 'seconds');
  return {
    title: t`Duration`,
    total: words('duration_p50'),
    note: t`the median; 95 % take at most ${{ duration: words('duration_p95') }}`,
    unit: 'seconds',
    kind: 'lines',
    lines: [
      measured('duration_p50', t`Median`, cssColor(kinds[0])),
      { ...measured('duration_p95', t`95 %`, cssColor(kinds[1])), isDashed: true },
    ],
  };
}

type ContainerTitles = Record<'attempts' | 'failures' | 'seconds', string>;

function containers(report: Report, titles: ContainerTitles): Chart[] {
  return [
    bySubject(report, { title: titles.attempts, prefix: 'attempts', unit: 'count' }),
    bySubject(report, { title: titles.failures, prefix: 'failures', unit: 'count' }),
    bySubject(report, { title: titles.seconds, prefix: 'seconds', unit: 'seconds' }),
  ];
}

/** The service names no more subjects; of others only `whole` knows. */
const mostNamed = 50;

type Parts = {
  title: string;
  /** What the keys of the series begin with. */
  prefix: string;
  unit: Chart['unit'];
  /** The series of all, if the service sends it, which may be more than the subjects that are named. */
  whole?: Series | undefined;
};

/** The largest subjects of a report, each in its colour in all charts, and one line for all others. */
function bySubject(report: Report, { title, prefix, unit, whole }: Parts): Chart {
  const parts = report.series.filter(({ key }) => key.startsWith(`${prefix}:`));
  const shown = parts
    .slice(0, kinds.length)
    .map((series, at) =>
      line(series, series.subject ?? series.title, cssColor(kinds[at] ?? others)),
    );
  const all = whole ? valuesOf(whole) : added(parts.map(valuesOf));
  const rest = all.map((value, at) =>
    Math.max(
      0,
      shown.reduce((left, { values }) => left - (values[at] ?? 0), value),
    ),
  );
  // Sums of fractions are never exact.
  const hasRest = parts.length > shown.length || rest.some((value) => value > 0.000_5);
  const total = all.reduce((sum, value) => sum + value, 0);
  return {
    title,
    total: formatValue(total, unit),
    ...(whole || parts.length < mostNamed ? {} : { note: t`of the ${mostNamed} largest` }),
    unit,
    kind: 'bars',
    lines: hasRest
      ? [...shown, { key: 'others', label: t`All others`, values: rest, color: cssColor(others) }]
      : shown,
  };
}

const added = (lists: readonly (readonly number[])[]): number[] =>
  (lists[0] ?? []).map((_, at) => lists.reduce((sum, values) => sum + (values[at] ?? 0), 0));

const percent = (share: number): string =>
  share > 0 && share < 0.01 ? t`less than 1 %` : t`${{ share: Math.round(share * 100) }} %`;

export type SubjectRow = {
  id: string;
  name: string;
  /** For each of `subjectColumns`. */
  cells: readonly string[];
};

type SubjectTable = Pick<Shape, 'title' | 'label' | 'columns'> & { rows: readonly SubjectRow[] };

/** What each node definition, worker, user or workflow did in the whole range. */
export function subjectsOf(name: ReportName, report: Report): SubjectTable | undefined {
  const shape = shapes[name];
  if (!shape) return undefined;
  const [main] = shape.prefixes;
  const rows = report.series
    .filter(({ key }) => key.startsWith(`${main}:`))
    .map(({ key, subject, title }) => {
      const id = key.slice(key.indexOf(':') + 1);
      const numbers = shape.prefixes.map((prefix) => report.totals[`${prefix}:${id}`] ?? 0);
      return { id, name: subject ?? title, cells: shape.cells(numbers, report) };
    });
  const { title, label, columns } = shape;
  return { title, label, columns, rows };
}

type Shape = {
  title: string;
  /** What the table is called. */
  label: string;
  columns: readonly string[];
  prefixes: readonly string[];
  cells: (numbers: readonly number[], report: Report) => string[];
};

const ofContainers = {
  columns: [t`Containers`, t`Failures`, t({ message: 'Time', context: 'duration' }), t`Time each`],
  prefixes: ['attempts', 'failures', 'seconds'],
  cells: ([attempts = 0, failures = 0, seconds = 0]: readonly number[]) => [
    formatValue(attempts, 'count'),
    failures === 0 ? '0' : `${formatValue(failures, 'count')} (${percent(failures / attempts)})`,
    formatValue(seconds, 'seconds'),
    attempts === 0 ? '–' : formatValue(seconds / attempts, 'seconds'),
  ],
};

const shapes: Partial<Record<ReportName, Shape>> = {
  nodes: { title: t`Node definition`, label: t`By node definition`, ...ofContainers },
  workers: { title: t`Worker`, label: t`By worker`, ...ofContainers },
  users: {
    title: t`User`,
    label: t`By user`,
    columns: [t`Runs`],
    prefixes: ['runs'],
    cells: ([runs = 0]) => [formatValue(runs, 'count')],
  },
  credits: {
    title: t`Workflow`,
    label: t`By workflow`,
    columns: [t`Credits`, t({ message: 'Share', context: 'part of the whole' })],
    prefixes: ['credits'],
    cells: ([credits = 0], { totals }) => [
      formatValue(credits, 'credits'),
      totals.credits ? percent(credits / totals.credits) : '–',
    ],
  },
};

/** Whether a report says nothing at all. */
export const isEmptyReport = ({ series, totals }: Report): boolean =>
  Object.values(totals).every((total) => total === 0) &&
  series.every(({ points }) => points.every(({ value }) => value === 0));
