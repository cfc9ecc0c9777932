import type { Report } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { chartsOf, isEmptyReport, subjectsOf } from './charts.ts';

const starts = ['2027-03-01T00:00:00.000Z', '2027-03-02T00:00:00.000Z'];

function reportOf(
  series: [key: string, values: number[], subject?: string][],
  totals: Record<string, number> = {},
  unit: Report['series'][number]['unit'] = 'count',
): Report {
  return {
    ...{ from: starts[0] ?? '', to: '2027-03-03T00:00:00.000Z', bucket: 'day', tz: 'UTC', totals },
    series: series.map(([key, values, subject]) => ({
      ...{ key, title: key, unit, ...(subject === undefined ? {} : { subject }) },
      points: values.map((value, at) => ({ t: starts[at] ?? '', value })),
    })),
  };
}

describe('charts of a report', () => {
  it('stack outcomes, and say how many failed', () => {
    const [ended] = chartsOf(
      'runs',
      reportOf(
        [
          ['success', [3, 0]],
          ['failure', [0, 1]],
        ],
        { success: 3, failure: 1 },
      ),
    );
    expect(ended).toMatchObject({ total: '4', note: '25 % failed', kind: 'bars' });
  });

  it('leave durations out where no run has ended', () => {
    const report = reportOf(
      [
        ['duration_p50', [0, 12]],
        ['duration_p95', [0, 60]],
      ],
      {},
      'seconds',
    );
    expect(chartsOf('runs', report)[2]?.lines[0]?.values).toEqual([undefined, 12]);
  });

  it('name the largest five, and add the others up', () => {
    const parts = [9, 8, 7, 6, 5, 2, 1].map((value, at): [string, number[], string] => [
      `runs:${at}`,
      [value, 0],
      `Person ${at}`,
    ]);
    const chart = chartsOf('users', reportOf([['active_users', [7, 0]], ...parts]))[1];
    expect(chart?.lines.map(({ label }) => label).at(-1)).toBe('All others');
    expect(chart?.lines.at(-1)?.values).toEqual([3, 0]);
    expect(chart?.total).toBe('38');
  });

  it('say that no more than the largest fifty are counted where the service names no more', () => {
    const runsOf = (people: number) =>
      chartsOf(
        'users',
        reportOf(Array.from({ length: people }, (_, at) => [`runs:${at}`, [1, 0], `Person ${at}`])),
      )[1];
    expect(runsOf(49)).not.toHaveProperty('note');
    expect(runsOf(50)).toMatchObject({ total: '50', note: 'of the 50 largest' });
  });

  it('count credits of workflows that are not named among the others', () => {
    const report = reportOf(
      [
        ['credits', [1.5, 2]],
        ['credits:4', [1.2, 2], 'Scans'],
      ],
      {
        credits: 3.5,
        'credits:4': 3.2,
      },
    );
    const [chart] = chartsOf('credits', report);
    expect(chart?.lines[1]?.values[0]).toBeCloseTo(0.3);
    expect(subjectsOf('credits', report)?.rows).toEqual([
      { id: '4', name: 'Scans', cells: ['3.2', '91 %'] },
    ]);
  });
});

it('has a table of what each worker did', () => {
  const keys = ['attempts', 'failures', 'seconds'];
  const report = reportOf(
    keys.map((kind) => [`${kind}:7`, [1, 1], 'build-1']),
    { 'attempts:7': 4, 'failures:7': 1, 'seconds:7': 90 },
  );
  expect(subjectsOf('workers', report)).toEqual({
    title: 'Worker',
    label: 'By worker',
    columns: ['Containers', 'Failures', 'Time', 'Time each'],
    rows: [{ id: '7', name: 'build-1', cells: ['4', '1 (25 %)', '1 min 30 s', '23 s'] }],
  });
  expect(subjectsOf('overview', report)).toBeUndefined();
});

it('knows when there is nothing to show', () => {
  expect(isEmptyReport(reportOf([['started', [0, 0]]], { started: 0 }))).toBe(true);
  expect(isEmptyReport(reportOf([['stored_bytes', [5, 0]]], { stored_bytes: 0 }))).toBe(false);
});
