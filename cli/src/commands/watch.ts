import { parseArgs } from 'node:util';
import { json, readRunId } from '../arguments.ts';
import type { Command } from '../command.ts';
import { codeOf } from '../exit-codes.ts';
import { followRun } from '../following.ts';
import { outcomeLines } from '../outcome.ts';

export const watch: Command = {
  usage: 'watch RUN_ID',
  help: 'follows a run to its end, and says how it ended',
  read(args) {
    const { values, positionals } = parseArgs({ args, options: { json }, allowPositionals: true });
    const run_id = readRunId(positionals);
    return async (cli) => {
      const run = await followRun(cli, run_id);
      cli.answer(values.json, run, (paint) => outcomeLines(run, cli.baseUrl, paint));
      return codeOf(run.status);
    };
  },
};
