/** The seven reports: what series they have, computed from what was counted. Pure. */
import type { Counted, Measure, Named, Needs } from './queries.ts';
import type { ReportName, Series } from './schema.ts';

/** What a report is made of. */
export type Facts = {
  /** How many periods there are. */
  periods: number;
  rows: readonly Counted[];
  /** What was stored when the first period began. */
  stored_before: number;
  names: ReadonlyMap<string, string>;
};

export type Line = Pick<Series, 'key' | 'title' | 'subject' | 'unit'> & {
  values: number[];
  total: number;
};

type Definition = {
  /** What it is about, in words. */
  summary: string;
  needs: Needs;
  /** What the ids are of, in the keys of the measure that it needs the `top` of. */
  named?: Named;
  lines: (facts: Facts) => Line[];
};

export const reports: Record<ReportName, Definition> = {
  overview: {
    summary: 'the most important numbers',
    needs: {
      sum: ['runs_started', 'runs_finished', 'attempts_of_node', 'credits', 'stored_bytes'],
      distinct: ['active_user'],
    },
    lines: (facts) => [
      count(facts, 'runs_started', { key: 'runs_started', title: 'Runs started' }),
      count(facts, 'runs_finished', { key: 'runs_finished', title: 'Runs ended' }),
      count(facts, 'attempts_of_node', { key: 'containers', title: 'Containers run' }),
      creditsInAll(facts),
      activeUsers(facts),
      storedBytes(facts),
    ],
  },
  runs: {
    summary: 'runs by their outcome, and how long they took',
    needs: { sum: ['runs_started'], status: ['runs_finished'], keys: ['run_durations'] },
    lines: (facts) => {
      const ended = facts.rows.filter(({ need }) => need === 'status');
      const durations = facts.rows.filter(({ need }) => need === 'keys');
      return [
        count(facts, 'runs_started', { key: 'started', title: 'Started' }),
        ...Object.entries(outcomes).map(([key, title]) =>
          counts(
            facts,
            ended.filter((row) => row.key === key),
            { key, title },
          ),
        ),
        duration(facts, durations, 0.5, { key: 'duration_p50', title: 'Duration, median' }),
        duration(facts, durations, 0.95, { key: 'duration_p95', title: 'Duration, 95 %' }),
      ];
    },
  },
  nodes: {
    summary: 'containers by node definition',
    needs: { top: ['attempts_of_node'] },
    named: 'definition',
    lines: (facts) => containerLines(facts),
  },
  storage: {
    summary: 'what is stored',
    needs: { sum: ['stored_bytes'] },
    lines: (facts) => [storedBytes(facts)],
  },
  users: {
    summary: 'who is active',
    needs: { distinct: ['active_user'], top: ['runs_of_user'] },
    named: 'user',
    lines: (facts) => [
      activeUsers(facts),
      ...byId(facts, (id, name, rows) =>
        counts(facts, rows, { key: `runs:${id}`, title: `Runs of ${name}`, subject: name }),
      ),
    ],
  },
  workers: {
    summary: 'containers by worker',
    needs: { top: ['attempts_of_worker'] },
    named: 'worker',
    lines: (facts) => containerLines(facts),
  },
  credits: {
    summary: 'credits, and by workflow',
    needs: { sum: ['credits'], top: ['credits'] },
    named: 'workflow',
    lines: (facts) => [
      creditsInAll(facts),
      ...byId(facts, (id, name, rows) =>
        credits(facts, rows, { key: `credits:${id}`, title: name, subject: name }),
      ),
    ],
  },
};

const outcomes = {
  success: 'Succeeded',
  partial_success: 'Succeeded in part',
  failure: 'Failed',
  cancelled: 'Cancelled',
};

/** Keys are an id, or an id and a status: `12:success`. */
export const idOf = (key: string) => key.split(':')[0] as string;

type Label = Pick<Series, 'key' | 'title' | 'subject'>;
type Rows = readonly Counted[];

/** What the rows are worth in each period. */
function collect(
  { periods }: Facts,
  rows: Rows,
  worth: (one: Counted) => number = ({ count }) => count,
): number[] {
  const values = new Array<number>(periods).fill(0);
  for (const row of rows) values[row.at] = (values[row.at] ?? 0) + worth(row);
  return values;
}

const added = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The sums of a measure over all keys. */
const sumsOf = ({ rows }: Facts, wanted: Measure): Rows =>
  rows.filter(({ need, measure }) => need === 'sum' && measure === wanted);

function counts(facts: Facts, rows: Rows, label: Label): Line {
  const values = collect(facts, rows);
  return { ...label, unit: 'count', values, total: added(values) };
}

const count = (facts: Facts, measure: Measure, label: Label): Line =>
  counts(facts, sumsOf(facts, measure), label);

const creditsInAll = (facts: Facts): Line =>
  credits(facts, sumsOf(facts, 'credits'), { key: 'credits', title: 'Credits' });

function credits(facts: Facts, rows: Rows, label: Label): Line {
  const values = collect(facts, rows, ({ amount }) => amount);
  const inCredits = (thousandths: number) => thousandths / 1000;
  const total = inCredits(added(values));
  return { ...label, unit: 'credits', values: values.map(inCredits), total };
}

function seconds(facts: Facts, rows: Rows, label: Label): Line {
  const values = collect(facts, rows, ({ amount }) => amount);
  const total = added(values) / 1000;
  return { ...label, unit: 'seconds', values: values.map((ms) => ms / 1000), total };
}

/** Whoever did something in several periods counts once in the total. */
function activeUsers(facts: Facts): Line {
  const found = facts.rows.filter(({ need }) => need === 'distinct');
  const values = collect(
    facts,
    found.filter(({ at }) => at >= 0),
  );
  const total = found.find(({ at }) => at < 0)?.count ?? 0;
  return { key: 'active_users', title: 'Active users', unit: 'count', values, total };
}

/** At the end of each period. */
function storedBytes(facts: Facts): Line {
  let stored = facts.stored_before;
  const changes = collect(facts, sumsOf(facts, 'stored_bytes'), ({ amount }) => amount);
  const values = changes.map((change) => {
    stored += change;
    return stored;
  });
  return { key: 'stored_bytes', title: 'Stored', unit: 'bytes', values, total: stored };
}

/** The duration that this share of the runs did not exceed; less than 5 % off. 0 without runs. */
function duration({ periods }: Facts, rows: Rows, share: number, label: Label): Line {
  const inPeriod = Map.groupBy(rows, ({ at }) => at);
  const values = Array.from({ length: periods }, (_, at) =>
    quantile(inPeriod.get(at) ?? [], share),
  );
  return { ...label, unit: 'seconds', values, total: quantile(rows, share) };
}

function quantile(classes: Rows, share: number): number {
  const all = classes.reduce((total, { count }) => total + count, 0);
  let rest = Math.ceil(all * share);
  if (rest === 0) return 0;
  for (const { key, count } of classes.toSorted((one, other) => +one.key - +other.key)) {
    rest -= count;
    if (rest <= 0) return middleOf(Number(key)) / 1000;
  }
  return 0;
}

/** Of a class of durations, in milliseconds: eight classes for each doubling (migration 0120). */
const middleOf = (durationClass: number) => 2 ** ((durationClass - 0.5) / 8);

const hasFailed = ({ key }: Counted) => /:(failure|lost)$/.test(key);

const containerLines = (facts: Facts): Line[] =>
  byId(facts, (id, subject, rows) => {
    const label = (kind: string, words: string): Label => ({
      ...{ key: `${kind}:${id}`, title: `${subject}: ${words}`, subject },
    });
    return [
      counts(facts, rows, label('attempts', 'containers')),
      counts(facts, rows.filter(hasFailed), label('failures', 'failures')),
      seconds(facts, rows, label('seconds', 'time')),
    ];
  }).flat();

/** By what ids are compared. */
const worthOf = ({ measure, count, amount }: Counted) => (measure === 'credits' ? amount : count);

/** For each of the ids that have most, most first. */
function byId<T>({ rows, names }: Facts, make: (id: string, name: string, rows: Rows) => T): T[] {
  const top = rows.filter(({ need }) => need === 'top');
  const totals = [...Map.groupBy(top, ({ key }) => idOf(key))].map(([id, its]) => ({
    ...{ id, its, total: added(its.map(worthOf)) },
  }));
  return totals
    .toSorted((one, other) => other.total - one.total || +one.id - +other.id)
    .map(({ id, its }) => make(id, names.get(id) ?? `#${id}`, its));
}
