import { parseArgs } from 'node:util';
import type { Taken } from '@cogworks/sdk/upload-announcements';
import { json, requireCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { tellFault } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { findFolder } from '../paths.ts';
import { UsageProblem } from '../problem.ts';
import { findLocal, sendFiles } from '../sending.ts';
import { count } from '../words.ts';

const decisions = new Map<string, Taken>([
  ['skip', 'skip'],
  ['replace', 'replace'],
  ['changed', 'replace changed'],
  ['keep-both', 'keep both'],
]);

export const put: Command = {
  alias: 'upload',
  usage: 'put FILE… [--into PATH] [--existing HOW]',
  help: `uploads files and folders of this machine; also called upload
  --into PATH  the folder they go to, the root unless given
  --existing   for files whose names are taken; they are refused unless given
               skip       what is there stays, whatever its content
               changed    a new version, but only of what has another content (size, SHA-256)
               replace    a new version of all
               keep-both  the new ones get a number
Repeated after a break, it goes on with large files where it was.`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, into: { type: 'string', default: '/' }, existing: { type: 'string' } },
      allowPositionals: true,
    });
    requireCount(positionals, { least: 1, what: 'FILE' });
    if (values.into === '') throw new UsageProblem('--into is empty.');
    const onTaken = decisions.get(values.existing ?? '');
    if (values.existing !== undefined && onTaken === undefined) {
      throw new UsageProblem('--existing must be skip, changed, replace or keep-both.');
    }
    return async (cli) => {
      const tree = await findLocal(cli.dir, positionals);
      const folder = await findFolder(cli, values.into);
      let failed = 0;
      const cogs = await sendFiles(cli, tree, {
        parent_id: folder.id,
        ...(onTaken ? { onTaken } : {}),
        // A name collision does not stop the other uploads.
        onFault: (error) => {
          failed += 1;
          tellFault(cli, error);
        },
      });
      cli.answer(values.json, cogs, () => [
        `${cogs.length} of ${count(tree.files.length, 'file')} uploaded to ${values.into}`,
      ]);
      return failed === 0 ? exitCodes.ok : exitCodes.failed;
    };
  },
};
