import { parseArgs } from 'node:util';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { tellFault } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { findFolder } from '../paths.ts';
import { Problem } from '../problem.ts';
import { localFile, localKind, sendFile } from '../sending.ts';
import { count } from '../words.ts';

export const upload: Command = {
  usage: 'upload FILE… [--to PATH]',
  help: `uploads files of this machine
  --to PATH   the folder they go to, the root unless given`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, to: { type: 'string', default: '/' } },
      allowPositionals: true,
    });
    requireCount(positionals, { least: 1, what: 'FILE' });
    return async (cli) => {
      await requireFiles(cli.dir, positionals);
      const folder = await findFolder(cli, values.to);
      const cogs: Cog[] = [];
      // A name collision does not stop the other uploads.
      for (const word of positionals) {
        try {
          cogs.push(await sendFile(cli, localFile(cli.dir, word), folder.id));
        } catch (error) {
          tellFault(cli, error);
        }
      }
      cli.answer(values.json, cogs, () => [
        `${cogs.length} of ${count(positionals.length, 'file')} uploaded to ${values.to}`,
      ]);
      return cogs.length === positionals.length ? exitCodes.ok : exitCodes.failed;
    };
  },
};

/** Checked before the first byte is sent: a missing file is usually a typing error. */
async function requireFiles(dir: string, words: string[]) {
  const kinds = await Promise.all(words.map((word) => localKind(dir, word)));
  const faults = words.flatMap((word, index) => {
    if (kinds[index] === 'none') return [`There is no file ${word} on this machine.`];
    return kinds[index] === 'folder' ? [`${word} is a folder; name the files in it.`] : [];
  });
  if (faults.length > 0) throw new Problem(faults.join('\n'));
}
