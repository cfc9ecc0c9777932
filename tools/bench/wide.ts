/**
 * One run as wide as the server takes it: 1 → 100,000 → 1, or the next smaller one. What its slowest
 * statement took, and how large the largest answer was, to its workers or to a person who looks.
 */
import { join } from 'node:path';
import { openDatabaseLog } from './database-log.ts';
import type { PartResult } from './figures.ts';
import { apiOf } from './http.ts';
import { insertFiles } from './many-files.ts';
import { lookAround, type Moment } from './measure.ts';
import type { Options } from './options.ts';
import type { Driver } from './processes.ts';
import type { Closed, OneRun, RunsTask } from './runs/driver.ts';
import { startRunsDriver } from './runs/runs.ts';
import { signInAsAdmin, startBenchServer } from './server.ts';

export async function wide({ checkout, isQuick }: Options): Promise<PartResult> {
  const widths = isQuick ? [1000] : [100_000, 10_000, 1000];
  const most_s = isQuick ? 60 : 240;
  const server = await startBenchServer(checkout);
  const driver = startRunsDriver();
  try {
    const token = await signInAsAdmin(server);
    const few = { members: [], workers: 8, max: 16, files: 0 };
    await driver.ask({ task: 'open', url: server.url, token, ...few });
    const file = join(server.dir, 'postgres/postgres.log');
    const [root] = await server.db<{ id: number; tenant_id: number }[]>`
      select id, tenant_id from cogs where parent_id is null
    `;
    const place = { tenantId: root?.tenant_id ?? 0, parentId: root?.id ?? 0, folders: 1 };
    const moment = await lookAround();
    for (const width of widths) {
      const folders = await insertFiles(server.db, { ...place, perFolder: width });
      // From here on: what made the files does not count.
      const log = await openDatabaseLog(server.db, file, 'log_min_duration_statement', '100ms');
      const run = await accepted(driver, { task: 'one', cog_ids: folders, most_s });
      if (!run) {
        console.log(`  1 → ${width} → 1 is refused`);
        continue;
      }
      const seen = await look(server.url, token, run.run_id);
      const closed = await driver.ask<Closed>({ task: 'close' });
      const largest = seen.largest.bytes > closed.largest.bytes ? seen.largest : closed.largest;
      const slowest = await log.slowest();
      return told({ width, run, status: seen.status, closed, largest, slowest, moment });
    }
    return { notes: ['every width was refused.'] };
  } finally {
    driver.end();
    await server.stop();
  }
}

/** @returns undefined when the server says that it is too wide. */
function accepted(driver: Driver<RunsTask>, task: RunsTask): Promise<OneRun | undefined> {
  return driver.ask<OneRun>(task).catch((error: Error) => {
    if (/: 4(13|22) /.test(error.message)) return undefined;
    throw error;
  });
}

/** What a person asks who looks at the run, and the largest answer to that. */
async function look(url: string, token: string, runId: number) {
  const largest = { path: '', bytes: 0 };
  const api = apiOf(url, token, (path, bytes) => {
    if (bytes > largest.bytes) Object.assign(largest, { path, bytes });
  });
  const path = `/workflows/workflow-runs/${runId}`;
  const { status } = await api('GET', path);
  await api('GET', `${path}/progress`);
  await api('GET', `${path}/node-runs?limit=1000`);
  return { status: status as string, largest };
}

type Seen = {
  width: number;
  run: OneRun;
  status: string;
  closed: Closed;
  largest: { path: string; bytes: number };
  slowest: { ms: number; text: string };
  moment: Moment;
};

function told({ width, run, status, closed, largest, slowest, moment }: Seen): PartResult {
  const words = width.toLocaleString('en-GB');
  const took = run.took_s.toFixed(0);
  const end = run.has_ended
    ? `ended as ${status} after ${took} s`
    : `was left after ${took} s with ${run.reports} of ${width + 1} node runs done`;
  const of = `1 → ${words} → 1`;
  const moments = [moment];
  const line = (what: string, unit: 's' | 'MB', value: number, most: number) => ({
    ...{ what: `widest run: ${what}`, unit, rounds: [value], moments, beside: [] },
    goal: { at_most: most },
  });
  const path = largest.path.replace(/\/\d+/g, '/…');
  return {
    figures: [
      {
        ...{ what: 'widest run: lanes ended', unit: 'lanes', moments },
        rounds: [run.has_ended ? width : run.reports],
        ...{ beside: [], goal: { at_least: 100_000 } },
      },
      {
        ...{ what: 'widest run: node runs', unit: '/s', rounds: [run.reports / run.took_s] },
        ...{ moments, beside: [] },
      },
      line('slowest statement', 's', slowest.ms / 1000, 5),
      line('largest answer', 'MB', largest.bytes / 1e6, 1),
    ],
    notes: [
      `${of} ${end}. The largest answer was to ${path}.`,
      `the slowest statement: \`${slowest.text.replace(/\s+/g, ' ').slice(0, 200)}\``,
      ...closed.troubles.map(([what, times]) => `${times} × ${what}`),
    ],
  };
}
