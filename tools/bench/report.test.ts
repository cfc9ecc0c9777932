import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Count, type Figure, type Result, ratioOf } from './figures.ts';
import { numeral, tables, withMeasured } from './report.ts';

const moments = [
  { load: 1, busy: 0 },
  { load: 2.5, busy: 0.3 },
];

const chain = (rounds: number[], other: number[]): Figure => ({
  ...{ what: 'chain', unit: 'ms', rounds, moments },
  beside: [{ what: 'Other', rounds: other, goal: { at_most: 0.75 } }],
});

const resultOf = (figures: Figure[], counts: Count[] = []): Result => ({
  ...{ commit: 'abc', machine: 'small', versions: 'new' },
  parts: { some: { when: '2026-11-22 09:00', figures, counts, notes: ['noted'] } },
});

/** The cells of the line that begins with these words. */
const line = (text: string, what: string) =>
  text
    .split('\n')
    .find((one) => one.startsWith(`| ${what} |`))
    ?.slice(2, -2)
    .split(' | ');

describe('a ratio', () => {
  it('is taken round by round, because the machine changes between them', () => {
    assert.equal(ratioOf([10, 100, 30], [20, 200, 10]), 0.5);
    assert.equal(ratioOf([10], []), undefined);
  });
});

describe('the table', () => {
  it('has both columns, ratios of each, and whether the goal is met now', () => {
    const before = resultOf([chain([100, 120], [10, 10])]);
    const now = resultOf([chain([5, 7], [10, 10])]);
    assert.deepEqual(line(tables(before, now), 'chain'), [
      ...['chain', '110 ms [100–120]', '6 ms [5–7]', 'Other 10 ms', '11', '0.6'],
      ...['≤ 0.75', '✓', '1.0–2.5, 0–30 %'],
    ]);
  });

  it('has only the earlier column when there is no other', () => {
    const text = tables(resultOf([chain([100, 120], [10, 10])]), undefined);
    assert.deepEqual(line(text, 'chain')?.slice(1, 8), [
      ...['110 ms [100–120]', '', 'Other 10 ms', '11', '', '≤ 0.75', '✗'],
    ]);
  });

  it('says what was not measured where it is a goal', () => {
    const missing: Figure = {
      ...chain([5], []),
      beside: [
        { what: 'Other', rounds: [], goal: { at_most: 1 }, missing: 'not present' },
        { what: 'Another', rounds: [], missing: 'not present' },
      ],
    };
    const text = tables(undefined, resultOf([missing]));
    assert.match(text, /Other not present .* ≤ 1 \| not measured/);
    assert.doesNotMatch(text, /Another/);
  });

  it('judges a number by itself where the goal is one', () => {
    const memory: Figure = {
      ...{ what: 'idle', unit: 'MB', rounds: [231], moments: [], beside: [] },
      goal: { at_most: 200 },
    };
    assert.deepEqual(line(tables(undefined, resultOf([memory])), 'idle'), [
      ...['idle', '', '231 MB', '', '', '', '≤ 200 MB', '✗', ''],
    ]);
  });

  it('tells what one operation costs the server and its database', () => {
    const costs = (server: number, database: number) => {
      const result = resultOf([]);
      const rounds = [0, 0.1, 0.2].map((more) => ({ server: server + more, database }));
      result.parts.other = { when: '', costs: [{ operation: 'list', rounds }] };
      return result;
    };
    const text = tables(costs(2.9, 4), costs(0.9, 2));
    assert.deepEqual(line(text, 'list'), ['list', '3', '1', '4', '2']);
  });

  it('counts statements against their budget', () => {
    const count = { operation: 'get', statements: 2, trips: 2, budget: { statements: 1 } };
    const now = resultOf([], [{ ...count, statements: 1, trips: 1 }]);
    const text = tables(resultOf([], [count]), now);
    assert.deepEqual(line(text, 'get'), ['get', '2', '1', '≤ 1', '✓', '2', '1', '', '']);
  });
});

describe('what is told of a result', () => {
  it('is when its parts were taken, and their notes', () => {
    const now = resultOf([]);
    now.parts.other = { when: '2026-11-22 09:30' };
    const text = tables(resultOf([]), now);
    assert.match(
      text,
      /^Now: commit abc, 2026-11-22 09:00 to 2026-11-22 09:30 UTC; small; new\.$/m,
    );
    assert.match(text, /^- before, some: noted\n- some: noted$/m);
  });
});

describe('a number', () => {
  it('shows three digits that mean something', () => {
    assert.deepEqual([0.012345, 9.876, 123.4, 12_345.6, Number.NaN].map(numeral), [
      '0.0123',
      '9.88',
      '123',
      '12,346',
      '–',
    ]);
  });
});

describe('the document', () => {
  it('keeps everything but its measured part', () => {
    const marks = ['<!-- measured: written by npm run bench -->', '<!-- measured: end -->'];
    const made = withMeasured(`a\n${marks.join('\nold\n')}\nb`, 'new');
    assert.equal(made, `a\n${marks.join('\n\nnew\n\n')}\nb`);
    assert.throws(() => withMeasured('a', 'new'), /There is no/);
  });
});
