import { parseArgs } from 'node:util';
import { isTerminal } from '@cogworks/sdk/runs';
import { json, readRunId } from '../arguments.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

export const cancel: Command = {
  usage: 'cancel RUN_ID',
  help: 'stops a run; what is finished stays',
  read(args) {
    const { values, positionals } = parseArgs({ args, options: { json }, allowPositionals: true });
    const run_id = readRunId(positionals);
    return async ({ client, answer, signal }) => {
      const run = await client.cancelRun({ path: { run_id }, body: null, signal });
      answer(values.json, run, () => [
        isTerminal(run.status)
          ? `Run ${run_id} is ${run.status}.`
          : `Run ${run_id} stops; its containers are being ended.`,
      ]);
      return exitCodes.ok;
    };
  },
};
