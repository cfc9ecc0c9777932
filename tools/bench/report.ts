/** A result as Markdown, beside an earlier one. Pure. */
import {
  type Beside,
  type Cost,
  type Count,
  type Figure,
  type Goal,
  inWords,
  meets,
  type Result,
  ratioOf,
} from './figures.ts';
import { median } from './measure.ts';

const headings = [
  '',
  'before',
  'now',
  'beside it',
  'ratio before',
  'ratio',
  'goal',
  '',
  'load, cpu in use',
];

/** `now` may be the only one; so may `before`, on the day the first one is taken. */
export function tables(before: Result | undefined, now: Result | undefined): string {
  const newest = now ?? before;
  if (!newest) return '';
  const earlier = before && allOf(before);
  const { figures, costs, counts } = allOf(newest);
  const rows = figures.flatMap((figure) => {
    const same = earlier?.figures.find((one) => one.what === figure.what);
    return linesOf(figure, same, now !== undefined);
  });
  const costRows = costs.map((cost) => {
    const same = earlier?.costs.find((one) => one.operation === cost.operation);
    return costLine(same, now && cost);
  });
  const countRows = counts.map((count) => {
    const same = earlier?.counts.find((one) => one.operation === count.operation);
    return countLine(same, now && count);
  });
  return [
    [before && told('Before', before), now && told('Now', now)].filter(Boolean).join('\n'),
    ...(rows.length > 0 ? [table(headings, rows)] : []),
    ...(costRows.length > 0 ? [table(costHeadings, costRows)] : []),
    ...(countRows.length > 0 ? [table(countHeadings, countRows)] : []),
    [before && notesOf('before, ', before), now && notesOf('', now)].filter(Boolean).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function allOf({ parts }: Result) {
  const all = Object.values(parts);
  return {
    figures: all.flatMap(({ figures = [] }) => figures),
    costs: all.flatMap(({ costs = [] }) => costs),
    counts: all.flatMap(({ counts = [] }) => counts),
  };
}

function told(name: string, { commit, machine, versions, parts }: Result): string {
  const times = Object.values(parts).map(({ when }) => when);
  const [first = '', last = ''] = [times.toSorted()[0], times.toSorted().at(-1)];
  const when = first === last ? first : `${first} to ${last}`;
  return `${name}: commit ${commit}, ${when} UTC; ${machine}; ${versions}.`;
}

const notesOf = (prefix: string, { parts }: Result) =>
  Object.entries(parts)
    .flatMap(([name, { notes = [] }]) => notes.map((note) => `- ${prefix}${name}: ${note}`))
    .join('\n');

/** One line for each neighbour, or one where there is none. */
function linesOf(figure: Figure, before: Figure | undefined, isNow: boolean): string[][] {
  const now = isNow ? figure : undefined;
  const first = [figure.what, before ? ownIn(before) : '', now ? ownIn(now) : ''];
  const absolute = figure.goal && verdict(figure.goal, median(figure.rounds), figure.unit);
  const load = loadOf(figure);
  // What could not be measured is told where it was a goal.
  const shown = figure.beside.filter((one) => one.goal || one.rounds.length > 0);
  if (shown.length === 0) return [[...first, '', '', '', ...(absolute ?? ['', '']), load]];
  return shown.map((beside, place) => {
    const earlier = before?.beside.find((one) => one.what === beside.what);
    const cells = place === 0 ? first : ['', '', ''];
    return [
      ...cells,
      ...besideCells(figure, beside, before, earlier, isNow),
      place === 0 ? load : '',
    ];
  });
}

function besideCells(
  figure: Figure,
  beside: Beside,
  before: Figure | undefined,
  earlier: Beside | undefined,
  isNow: boolean,
): string[] {
  const ratio = ratioOf(figure.rounds, beside.rounds);
  const earlierRatio = before && earlier && ratioOf(before.rounds, earlier.rounds);
  const said = beside.missing ?? `${numeral(median(beside.rounds))} ${figure.unit}`;
  return [
    `${beside.what} ${said}`,
    earlierRatio === undefined ? '' : numeral(earlierRatio),
    ratio === undefined || !isNow ? '' : numeral(ratio),
    ...(beside.goal ? verdict(beside.goal, ratio) : ['', '']),
  ];
}

function verdict(goal: Goal, value: number | undefined, unit = ''): [string, string] {
  const words = `${inWords(goal)} ${unit}`.trim();
  if (value === undefined || Number.isNaN(value)) return [words, 'not measured'];
  return [words, meets(goal, value) ? '✓' : '✗'];
}

/** The median, with the lowest and the highest round where there are several. */
function ownIn({ rounds, unit }: Figure): string {
  if (rounds.length === 0) return 'not measured';
  const middle = `${numeral(median(rounds))} ${unit}`;
  if (rounds.length === 1) return middle;
  return `${middle} [${numeral(Math.min(...rounds))}–${numeral(Math.max(...rounds))}]`;
}

function loadOf({ moments }: Figure): string {
  if (moments.length === 0) return '';
  const between = (values: number[], write: (value: number) => string) => {
    const [low, high] = [write(Math.min(...values)), write(Math.max(...values))];
    return low === high ? low : `${low}–${high}`;
  };
  const load = between(
    moments.map((one) => one.load),
    (value) => value.toFixed(1),
  );
  const busy = between(
    moments.map((one) => one.busy * 100),
    (value) => value.toFixed(0),
  );
  return `${load}, ${busy} %`;
}

const costHeadings = [
  'processor time of one, ms',
  'server before',
  'now',
  'database before',
  'now',
];

function costLine(before: Cost | undefined, now: Cost | undefined): string[] {
  const cell = (of: 'server' | 'database', cost: Cost | undefined) =>
    cost ? numeral(median(cost.rounds.map((one) => one[of]))) : '';
  const cells = (['server', 'database'] as const).flatMap((of) => [
    cell(of, before),
    cell(of, now),
  ]);
  return [(now ?? before)?.operation ?? '', ...cells];
}

const countHeadings = [
  'one operation alone',
  'statements before',
  'now',
  'budget',
  '',
  'trips before',
  'now',
  'budget',
  '',
];

function countLine(before: Count | undefined, now: Count | undefined): string[] {
  const cells = (of: 'statements' | 'trips') => {
    const budget = (now ?? before)?.budget?.[of];
    const value = (now ?? before)?.[of];
    return [
      before ? String(before[of]) : '',
      now ? String(now[of]) : '',
      budget === undefined ? '' : `≤ ${budget}`,
      budget === undefined || value === undefined ? '' : value <= budget ? '✓' : '✗',
    ];
  };
  return [(now ?? before)?.operation ?? '', ...cells('statements'), ...cells('trips')];
}

/** Three digits that mean something. */
export function numeral(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const begin = '<!-- measured: written by npm run bench -->';
const end = '<!-- measured: end -->';

/** The document with its measured part replaced. @throws Error without the marks of that part. */
export function withMeasured(document: string, measured: string): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`There is no "${begin}" followed by "${end}".`);
  return `${document.slice(0, from + begin.length)}\n\n${measured}\n\n${document.slice(to)}`;
}
