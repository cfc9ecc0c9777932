import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { json, requireCount } from '../arguments.ts';
import type { Action, Cli, Command } from '../command.ts';
import { codeOf, exitCodes } from '../exit-codes.ts';
import { followRun } from '../following.ts';
import { findInputs, type Inputs, sendInputs } from '../inputs.ts';
import { outcomeLines, outputsOf } from '../outcome.ts';
import { UsageProblem } from '../problem.ts';
import { saveOutputs } from '../run-outputs.ts';
import { checkFolder } from '../saving.ts';
import { type Assignment, readAssignment, valuesOf } from '../variables.ts';
import { count } from '../words.ts';
import { findWorkflow, versionToRun } from '../workflows.ts';

export const run: Command = {
  usage:
    'run WORKFLOW FILE-OR-PATH… [--var NAME=VALUE]… [--max-credits N] [--into DIR] [--overwrite]',
  help: `runs a workflow, by its name or id, over files; saves the results and verifies them
  FILE-OR-PATH       a file of this machine, which is uploaded first, or a PATH
  --var NAME=VALUE   a variable of the workflow
  --max-credits N    what the run may spend
  --into DIR         where results are saved, the folder run-RUN_ID unless given
  --overwrite        replace files that are there with other contents
Ctrl-C ends the watching, not the run; \`cogworks cancel\` does.`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        json,
        var: { type: 'string', multiple: true, default: [] },
        'max-credits': { type: 'string' },
        into: { type: 'string' },
        overwrite: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    requireCount(positionals, { least: 1, what: 'WORKFLOW' });
    if (values.into === '') throw new UsageProblem('--into is empty.');
    const [workflow = '', ...words] = positionals;
    const assignments = values.var.map(readAssignment);
    const max_credits = readCredits(values['max-credits']);
    return runAndSave({ ...values, workflow, words, assignments, max_credits });
  },
};

function readCredits(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const credits = Number(text);
  if (text.trim() !== '' && credits > 0 && credits <= 1e9) return credits;
  throw new UsageProblem('--max-credits is not a number of credits.');
}

type Order = {
  workflow: string;
  words: string[];
  assignments: Assignment[];
  max_credits: number | undefined;
  into?: string | undefined;
  overwrite: boolean;
  json: boolean;
};

const runAndSave =
  (order: Order): Action =>
  async (cli) => {
    const run_id = await start(cli, order);
    const ended = await followRun(cli, run_id);
    const into = resolve(cli.dir, order.into ?? `run-${run_id}`);
    const saved = await saveOutputs(cli, ended, { into, overwrite: order.overwrite });
    const outputs = outputsOf(ended);
    cli.answer(order.json, { ...ended, saved }, (paint) => [
      ...outcomeLines(ended, cli.baseUrl, paint),
      ...(outputs.length > 0
        ? [`${saved.length} of ${count(outputs.length, 'output')} saved in ${into}`]
        : []),
    ]);
    const code = codeOf(ended.status);
    return saved.length < outputs.length ? exitCodes.failed : code;
  };

/** Checks everything that can be checked before the first byte is uploaded. */
async function start(cli: Cli, order: Order): Promise<number> {
  const { client, screen, signal } = cli;
  if (order.into !== undefined) await checkFolder(resolve(cli.dir, order.into));
  const workflow = await findWorkflow(cli, order.workflow);
  const version_id = versionToRun(workflow);
  const path = { version_id };
  const declared = await client.listVersionVariables({ path, signal });
  const extra_variables = valuesOf(order.assignments, declared);
  const inputs: Inputs = await findInputs(cli, order.words);

  const sent = await sendInputs(cli, inputs, workflow.name);
  try {
    const { max_credits } = order;
    const body = {
      ...{ cog_ids: sent.cog_ids, extra_variables },
      ...(max_credits !== undefined && { max_credits }),
    };
    const idempotencyKey = randomUUID();
    const started = await client.startRun({ path, body, idempotencyKey, signal });
    const run_id = started.workflow_run_id;
    screen.note(`${screen.paint('green', '✓')} Run ${run_id} of “${workflow.name}”`);
    return run_id;
  } catch (error) {
    await sent.takeBack(error);
    throw error;
  }
}
