/** How a run ended, in words: which file failed, where and why. Pure. */
import type { NodeRun, RunFile, WorkflowRun } from '@cogworks/sdk/contract.gen';
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
    ...lonelyFailures(run),
    ...outputLines(run, paint),
    paint('dim', `${baseUrl}/app/runs/${run.id}`),
  ];
}

export const outputsOf = (run: WorkflowRun): RunFile[] =>
  run.run_files.filter(({ direction }) => direction === 'output');

/** How many went well, and each that did not with its reasons. */
function inputLines(run: WorkflowRun, paint: Paint): string[] {
  const inputs = run.run_files.filter(({ direction }) => direction === 'input');
  if (inputs.length === 0) return [];
  const bad = inputs.filter(({ status }) => status !== 'success');
  const reasons = Map.groupBy(failedOf(run), ({ cog_id }) => cog_id);
  return [
    `${count(inputs.length, 'input')}, ${inputs.length - bad.length} succeeded`,
    ...bad.flatMap((file) => {
      const why = reasons.get(file.cog_id)?.map(reasonOf) ?? [plain(file.error_message ?? '')];
      return [
        `  ${file.name}  ${paint(file.status === 'failure' ? 'red' : 'dim', file.status)}`,
        ...why.filter(Boolean).map((reason) => `    ${reason}`),
      ];
    }),
  ];
}

/** What failed and is about no single file, such as a node that gathers all. */
const lonelyFailures = (run: WorkflowRun) =>
  failedOf(run)
    .filter(({ cog_id }) => cog_id === undefined)
    .map((row) => `  ${reasonOf(row)}`);

const fallbacks = {
  no_right: 'Not all went where you asked: you may not add to that folder any more.',
  folder_gone: 'Not all went where you asked: that folder was deleted.',
};

function outputLines(run: WorkflowRun, paint: Paint): string[] {
  const outputs = outputsOf(run);
  return [
    count(outputs.length, 'output'),
    ...outputs.map(({ name, size_bytes, node_key }) => {
      const from = paint('dim', `${size(size_bytes)} from ${node_key ?? 'the run'}`);
      return `  ${name}  ${from}`;
    }),
    ...(run.output_fallback ? [paint('yellow', `  ${fallbacks[run.output_fallback]}`)] : []),
  ];
}

const failedOf = (run: WorkflowRun) => run.node_runs.filter(({ status }) => status === 'failure');

const reasonOf = ({ node_key, error_message }: NodeRun) =>
  `${node_key}: ${plain(error_message ?? '') || 'failed'}`;
