import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge, type Plan, plansIn, worstOf } from './plans.ts';

const scan: Plan = {
  'Node Type': 'Seq Scan',
  'Relation Name': 'cogs',
  'Actual Rows': 2,
  'Actual Loops': 1,
  'Rows Removed by Filter': 5000,
  'Shared Hit Blocks': 90,
  'Shared Read Blocks': 10,
};

describe('the plans in a log of PostgreSQL', () => {
  it('are read, other entries are not', () => {
    const json = JSON.stringify({ 'Query Text': 'select 1', Plan: scan }, null, 2);
    const log = [
      '2026-11-22 10:00:00.000 UTC [1] LOG:  statement: begin',
      `2026-11-22 10:00:00.001 UTC [1] LOG:  duration: 1.250 ms  plan:\n${json}`.replaceAll(
        /\n/g,
        '\n\t',
      ),
      '2026-11-22 10:00:00.002 UTC [1] LOG:  statement: commit',
    ].join('\n');

    assert.deepEqual(plansIn(log), [{ text: 'select 1', ms: 1.25, plan: scan }]);
  });
});

describe('a plan', () => {
  const findings = (plan: Plan) => judge({ text: '', ms: 1, plan }).findings;

  it('is judged by its pages and rows', () => {
    const { pages, rows } = judge({ text: '', ms: 1, plan: scan });

    assert.deepEqual({ pages, rows }, { pages: 100, rows: 2 });
  });

  it('that reads a whole table is told of, a small one is not', () => {
    assert.deepEqual(findings(scan), ['Seq Scan of cogs: 5002 rows']);
    assert.deepEqual(findings({ ...scan, 'Rows Removed by Filter': 50 }), []);
  });

  it('that throws most of an index away is told of, however deep', () => {
    const index = { ...scan, 'Node Type': 'Index Scan', 'Index Name': 'cogs_pkey' };

    assert.deepEqual(findings({ 'Node Type': 'Limit', Plans: [index] }), [
      'Index Scan cogs_pkey: 5000 rows for 2',
    ]);
  });

  it('that sorts much, or on disk, is told of', () => {
    const sort = { 'Node Type': 'Sort', 'Actual Rows': 20_000, 'Actual Loops': 1 };

    assert.deepEqual(findings({ ...sort, 'Temp Written Blocks': 7 }), [
      'sorts 20000 rows',
      'Sort writes 7 pages beside memory',
    ]);
  });

  it('of equal statements is the one that looked at most', () => {
    const of = (pages: number) =>
      judge({ text: 'select  1', ms: 1, plan: { ...scan, 'Shared Hit Blocks': pages } });

    assert.deepEqual(
      worstOf([of(1), of(5), of(2)]).map(({ text, pages, times }) => ({ text, pages, times })),
      [{ text: 'select 1', pages: 15, times: 3 }],
    );
  });
});
