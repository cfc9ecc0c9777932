/** What a run left: reasons in plain words, its results on this machine, and how long it took. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Client } from '@cogworks/sdk/client';
import type { NodeRun, RunFile, WorkflowRun } from '@cogworks/sdk/contract.gen';
import { Problem } from './problem.ts';
import { type Paint, seconds, size } from './terminal.ts';

/** Why each failed node run failed, by the file it was about. */
export function failureReasons(run: WorkflowRun): Map<number, string[]> {
  const failed = run.node_runs.filter(({ status }) => status === 'failure');
  const byFile = Map.groupBy(failed, ({ cog_id }) => cog_id ?? 0);
  return new Map(
    [...byFile].map(([cogId, rows]) => [
      cogId,
      rows.map(({ node_key, error_message }) => `${node_key}: ${error_message ?? 'failed'}`),
    ]),
  );
}

/**
 * Saves every output in `folder` and compares it with its record.
 *
 * @throws Problem when bytes are not those of the record.
 */
export async function downloadResults(
  client: Client,
  run: WorkflowRun,
  folder: string,
): Promise<RunFile[]> {
  await mkdir(folder, { recursive: true });
  const outputs = run.run_files.filter(({ direction }) => direction === 'output');
  for (const { cog_id, name, checksum_sha256 } of outputs) {
    const response = await client.downloadCog({ path: { id: cog_id } });
    const bytes = Buffer.from(await response.arrayBuffer());
    const checksum = createHash('sha256').update(bytes).digest('hex');
    if (checksum !== checksum_sha256) {
      throw new Problem(`${name} came as ${checksum}, but is recorded as ${checksum_sha256}.`);
    }
    await writeFile(join(folder, basename(name)), bytes);
  }
  return outputs;
}

export function fileTable(
  run: WorkflowRun,
  reasons: Map<number, string[]>,
  paint: Paint,
): string[] {
  const width = Math.max(...run.run_files.map(({ name }) => name.length));
  const inputs = run.run_files.filter(({ direction }) => direction === 'input');
  const outputs = run.run_files.filter(({ direction }) => direction === 'output');
  return [
    `  ${paint('dim', 'Input')}`,
    ...inputs.flatMap((file) => {
      const isGood = file.status === 'success';
      const why = isGood ? [] : (reasons.get(file.cog_id) ?? [file.error_message ?? '']);
      return [
        `    ${file.name.padEnd(width)}  ${paint(isGood ? 'green' : 'red', file.status)}`,
        ...why.filter(Boolean).map((reason) => `    ${' '.repeat(width)}  ${reason}`),
      ];
    }),
    `  ${paint('dim', 'Output')}`,
    ...outputs.map(
      (file) =>
        `    ${file.name.padEnd(width)}  ${size(file.size_bytes).padStart(7)}  from ${file.node_key}, sha256 ${file.checksum_sha256.slice(0, 12)}… verified`,
    ),
  ];
}

/** By the server's clock, so that no two clocks are compared. */
export function timesOf(run: WorkflowRun): string[] {
  const since = (from?: string, to?: string) =>
    from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : 0;
  const ran = run.node_runs.filter(({ started_at, finished_at }) => started_at && finished_at);
  const firstBy = (field: 'started_at' | 'finished_at') =>
    ran.map((row) => row[field] ?? '').sort()[0];
  const waits = ran.map((row) => since(row.queued_at, row.started_at)).sort((a, b) => a - b);
  const work = ran.reduce((sum, row: NodeRun) => sum + since(row.started_at, row.finished_at), 0);
  return [
    `  ${seconds(since(run.created_at, firstBy('started_at')), 2)} from the order to the first container on its way, ${seconds(since(run.created_at, firstBy('finished_at')), 2)} until it was done`,
    `  ${seconds(since(run.created_at, run.finished_at))} for the whole run: ${ran.length} containers, ${seconds(work)} of work, half of them waited less than ${seconds(waits[Math.floor(waits.length / 2)] ?? 0, 2)}`,
  ];
}
