/** How long a run took, in words. Pure. */
import { between, duration } from '@cogworks/cli/words';
import type { WorkflowRun } from '@cogworks/sdk/contract.gen';

export function timesOf(run: WorkflowRun): string[] {
  const ran = run.node_runs.filter(({ started_at, finished_at }) => started_at && finished_at);
  const firstBy = (field: 'started_at' | 'finished_at') =>
    ran.map((row) => row[field] ?? '').sort()[0];
  const waits = ran.map((row) => between(row.queued_at, row.started_at)).sort((a, b) => a - b);
  const work = ran.reduce((sum, row) => sum + between(row.started_at, row.finished_at), 0);
  const toFirst = (field: 'started_at' | 'finished_at') =>
    duration(between(run.created_at, firstBy(field)));
  const median = duration(waits[Math.floor(waits.length / 2)] ?? 0);
  return [
    `${toFirst('started_at')} from the start to the first container, ${toFirst('finished_at')} until it had ended`,
    `${duration(between(run.created_at, run.finished_at))} for the whole run: ${ran.length} containers, ${duration(work)} of work, half of them waited less than ${median}`,
  ];
}
