/** Pure. What the database logged of how it went through statements, and what in that is suspicious. */
import { entriesOf } from '../database-log.ts';

export type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Rows Removed by Join Filter'?: number;
  'Heap Fetches'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  'Temp Written Blocks'?: number;
  Plans?: Plan[];
};

export type Explained = { text: string; ms: number; plan: Plan };

export type Judged = {
  text: string;
  ms: number;
  /** Pages of 8 kB, each as often as it was looked at. */
  pages: number;
  /** What was answered, or what was handed on to the last step. */
  rows: number;
  findings: string[];
};

/** More than this is many: rows that one step reads. */
const many = 1000;

/** Everything that auto_explain wrote as JSON. */
export function plansIn(log: string): Explained[] {
  return entriesOf(log).flatMap((entry) => {
    const [, ms, json] = /LOG: {2}duration: ([\d.]+) ms {2}plan:\n(\{[\s\S]*\})/.exec(entry) ?? [];
    if (ms === undefined || json === undefined) return [];
    const { 'Query Text': text, Plan: plan } = JSON.parse(json);
    return [{ text, ms: Number(ms), plan }];
  });
}

export function judge({ text, ms, plan }: Explained): Judged {
  return {
    text: text.replace(/\s+/g, ' ').trim(),
    ms,
    pages: pagesOf(plan),
    rows: rowsOf(plan),
    findings: [...new Set(findingsOf(plan))],
  };
}

const pagesOf = (plan: Plan) =>
  (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);

const loopsOf = (plan: Plan) => plan['Actual Loops'] ?? 0;
const rowsOf = (plan: Plan) => Math.round((plan['Actual Rows'] ?? 0) * loopsOf(plan));

function findingsOf(plan: Plan): string[] {
  const place = plan['Index Name'] ?? plan['Relation Name'] ?? '';
  const removed = Math.round(
    ((plan['Rows Removed by Filter'] ?? 0) +
      (plan['Rows Removed by Index Recheck'] ?? 0) +
      (plan['Rows Removed by Join Filter'] ?? 0)) *
      loopsOf(plan),
  );
  const rows = rowsOf(plan);
  const type = plan['Node Type'];
  const found: string[] = [];
  if (type === 'Seq Scan' && rows + removed > many)
    found.push(`${type} of ${place}: ${rows + removed} rows`);
  else if (removed > many && removed > 10 * rows)
    found.push(`${type} ${place}: ${removed} rows for ${rows}`);
  else if (/Scan/.test(type) && place !== '' && rows > many)
    found.push(`${type} ${place}: ${rows} rows`);
  if (type === 'Sort' && rows > many) found.push(`sorts ${rows} rows`);
  if ((plan['Temp Written Blocks'] ?? 0) > 0 && (plan.Plans ?? []).every(isWithoutTemp))
    found.push(`${type} writes ${plan['Temp Written Blocks']} pages beside memory`);
  return [...found, ...(plan.Plans ?? []).flatMap(findingsOf)];
}

const isWithoutTemp = (plan: Plan) => !plan['Temp Written Blocks'];

/** Of each text the dearest time it ran. The dearest first. */
export function worstOf(judged: readonly Judged[]): (Judged & { times: number })[] {
  return [...Map.groupBy(judged, ({ text }) => text).values()]
    .map((same) => ({
      ...same.reduce((worst, one) => (one.pages > worst.pages ? one : worst)),
      times: same.length,
    }))
    .toSorted((a, b) => b.pages - a.pages);
}
