/** `mv` and `cp`: the same arguments, and the same meaning of the target. */
import { parseArgs } from 'node:util';
import type { Changed } from '@cogworks/sdk/change-many';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from './arguments.ts';
import { tellFaults } from './changed.ts';
import type { Action, Cli } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { findCogs, findTarget, type Target } from './paths.ts';
import { Problem } from './problem.ts';
import { count } from './words.ts';

/** Places them all; one that fails does not stop the others. */
export type Place = (
  cli: Cli,
  cogs: readonly Cog[],
  target: Target,
) => Promise<readonly Changed<Cog, Cog>[]>;

/** @param done the word for what was done: moved or copied. */
export function readPlacing(args: string[], done: string, place: Place): Action {
  const { values, positionals } = parseArgs({ args, options: { json }, allowPositionals: true });
  requireCount(positionals, { least: 1, what: 'PATH' });
  requireCount(positionals, { least: 2, what: 'TARGET' });
  const words = positionals.slice(0, -1);
  const to = positionals.at(-1) ?? '';
  return async (cli) => {
    const cogs = await findCogs(cli, words);
    const target = await findTarget(cli, to);
    if (cogs.length > 1 && target.name !== undefined) {
      throw new Problem(`${to} is not a folder, so only one thing can go there.`);
    }
    const changed = tellFaults(cli, await place(cli, cogs, target));
    const placed = changed.flatMap(({ cog }) => cog ?? []);
    const amount = cogs.length > 1 ? `${placed.length} of ${count(cogs.length, 'item')}` : words[0];
    cli.answer(values.json, placed, () =>
      placed.length > 0 ? [`${amount} ${done} to ${to}`] : [],
    );
    return placed.length === cogs.length ? exitCodes.ok : exitCodes.failed;
  };
}

/** @returns a function that places one after another. */
export const oneByOne =
  (place: (cli: Cli, cog: Cog, target: Target) => Promise<Cog>): Place =>
  async (cli, cogs, target) => {
    const changed: Changed<Cog, Cog>[] = [];
    for (const item of cogs) {
      try {
        changed.push({ item, cog: await place(cli, item, target) });
      } catch (error) {
        cli.signal.throwIfAborted();
        changed.push({ item, error });
      }
    }
    return changed;
  };
