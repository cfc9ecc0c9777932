import { parseArgs } from 'node:util';
import type { WorkflowRunSummary } from '@cogworks/sdk/contract.gen';
import { listPage } from '@cogworks/sdk/pages';
import { runStatuses } from '@cogworks/sdk/runs';
import { json, requireCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { colourOf } from '../outcome.ts';
import { UsageProblem } from '../problem.ts';
import type { Paint } from '../terminal.ts';
import { between, duration, localTime, plain } from '../words.ts';
import { allWorkflows } from '../workflows.ts';

const mostRuns = 50;

export const runs: Command = {
  usage: 'runs [--status S]',
  help: `lists the latest ${mostRuns} runs, the newest first
  --status S   ${runStatuses.join(', ')}`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, status: { type: 'string' } },
      allowPositionals: true,
    });
    requireCount(positionals, { most: 0 });
    const status = runStatuses.find((one) => one === values.status);
    if (values.status !== undefined && !status) {
      throw new UsageProblem(
        `There is no status “${values.status}”, only ${runStatuses.join(', ')}.`,
      );
    }
    return async (cli) => {
      const { client, signal } = cli;
      const query = { limit: mostRuns, status };
      const { rows } = await listPage(client, 'listRuns', { query, signal });
      const names = values.json
        ? new Map<number, string>()
        : new Map((await allWorkflows(cli)).map(({ id, name }) => [id, name]));
      cli.answer(values.json, rows, (paint) => table(rows, names, paint));
      return exitCodes.ok;
    };
  },
};

function table(rows: WorkflowRunSummary[], names: Map<number, string>, paint: Paint): string[] {
  const idWidth = Math.max(0, ...rows.map(({ id }) => String(id).length));
  return rows.map((run) => {
    const status = paint(colourOf(run.status), run.status.padEnd('partial_success'.length));
    const took = run.finished_at ? duration(between(run.created_at, run.finished_at)) : '';
    const when = paint('dim', `${localTime(run.created_at)}  ${took.padStart(11)}`);
    const name = names.get(run.workflow_id) ?? `workflow ${run.workflow_id}`;
    const why = run.error_message ? paint('dim', `  ${plain(run.error_message)}`) : '';
    return `${String(run.id).padStart(idWidth)}  ${status}  ${when}  ${name}${why}`;
  });
}
