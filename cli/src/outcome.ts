/** The outcome of a run in words: which file failed, where and why. Pure. */
import type { NodeRun, RunFile, WorkflowRun } from '@cogworks/sdk/contract.gen';
import { fallbackOf, reasonOf } from '@cogworks/sdk/reasons';
import type { Paint } from './terminal.ts';
import { between, count, duration, plain, size } from './words.ts';

export const colourOf = (status: WorkflowRun['status']) => {
  if (status === 'success') return 'green';
  if (status === 'failure') return 'red';
  return status === 'queued' || status === 'running' ? 'cyan' : 'yellow';
};

export function outcomeLines(run: WorkflowRun, baseUrl: string, paint: Paint): string[] {
  const { status, error_message = '' } = run;
  const took = duration(between(run.created_at, run.finished_at));
  return [
    `${paint(colourOf(status), status)}  ${plain(error_message) || `after ${took}`}`,
    ...inputLines(run, paint),
    ...failuresOfNoFile(run),
    ...outputLines(run, paint),
    paint('dim', `${baseUrl}/app/runs/${run.id}`),
  ];
}

export const outputsOf = (run: WorkflowRun): RunFile[] =>
  run.run_files.filter(({ direction }) => direction === 'output');

/** How many succeeded, and each other one with its reasons. */
function inputLines(run: WorkflowRun, paint: Paint): string[] {
  const inputs = run.run_files.filter(({ direction }) => direction === 'input');
  if (inputs.length === 0) return [];
  const bad = inputs.filter(({ status }) => status !== 'success');
  const reasons = Map.groupBy(failedOf(run), ({ cog_id }) => cog_id);
  return [
    `${count(inputs.length, 'input')}, ${inputs.length - bad.length} succeeded`,
    ...bad.flatMap((file) => {
      const why = reasons.get(file.cog_id)?.map(lineOf) ?? [plain(file.error_message ?? '')];
      return [
        `  ${file.name}  ${paint(file.status === 'failure' ? 'red' : 'dim', file.status)}`,
        ...why.filter(Boolean).map((reason) => `    ${reason}`),
      ];
    }),
  ];
}

/** Failed or skipped node runs that belong to no single file, such as those of a gathering node. */
const failuresOfNoFile = (run: WorkflowRun) =>
  [...failedOf(run), ...run.node_runs.filter(isCutOff)]
    .filter(({ cog_id }) => cog_id === undefined)
    .map((row) => `  ${lineOf(row)}`);

/** A false condition is not a failure, nor are the skips that follow from it. */
const isCutOff = ({ status, skip_reason }: NodeRun) =>
  status === 'skipped' && skip_reason !== 'condition_false' && skip_reason !== 'upstream_skipped';

function outputLines(run: WorkflowRun, paint: Paint): string[] {
  const outputs = outputsOf(run);
  const fallback = fallbackOf(run);
  return [
    count(outputs.length, 'output'),
    ...outputs.map(({ name, size_bytes, node_key }) => {
      const from = paint('dim', `${size(size_bytes)} from ${node_key ?? 'the run'}`);
      return `  ${name}  ${from}`;
    }),
    ...(fallback ? [paint('yellow', `  ${fallback}`)] : []),
  ];
}

const failedOf = (run: WorkflowRun) => run.node_runs.filter(({ status }) => status === 'failure');

const lineOf = (row: NodeRun) =>
  `${row.node_key}: ${plain(row.error_message ?? reasonOf(row) ?? '') || 'failed'}`;
