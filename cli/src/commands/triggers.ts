import { parseArgs } from 'node:util';
import { json, requireCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { everyRow } from '../lists.ts';
import { statusOf, whenOf } from '../trigger-view.ts';
import { allWorkflows, findWorkflow } from '../workflows.ts';

export const triggers: Command = {
  usage: 'triggers [--workflow W]',
  help: `lists what starts workflows by itself, and how each stands
  --workflow W   those of one workflow, by its name or id
\`trigger\` shows, makes and changes one.`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, workflow: { type: 'string' } },
      allowPositionals: true,
    });
    requireCount(positionals, { most: 0 });
    const { workflow } = values;
    return async (cli) => {
      const of = workflow === undefined ? undefined : await findWorkflow(cli, workflow);
      const query = { limit: 100, ...(of && { workflow_id: of.id }) };
      const rows = await everyRow(cli, 'listTriggers', { query });
      const names = values.json
        ? new Map<number, string>()
        : new Map((await allWorkflows(cli)).map(({ id, name }) => [id, name]));
      const width = Math.max(0, ...rows.map(({ id }) => String(id).length));
      cli.answer(values.json, rows, (paint) =>
        rows.map((row) => {
          const starts = names.get(row.workflow_id) ?? `workflow ${row.workflow_id}`;
          const how = `${row.type.padEnd('schedule'.length)}  ${statusOf(row, paint)}`;
          const when = paint('dim', `starts ${starts}  ${whenOf(row)}`);
          return `${String(row.id).padStart(width)}  ${how}  ${row.name}  ${when}`;
        }),
      );
      return exitCodes.ok;
    };
  },
};
