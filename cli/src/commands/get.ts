import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from '../arguments.ts';
import type { Cli, Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { localName } from '../local-names.ts';
import { nameRules, planOf } from '../local-plan.ts';
import { findCog, findCogs, isFile } from '../paths.ts';
import { printFile } from '../printing.ts';
import { Problem, UsageProblem } from '../problem.ts';
import { isIn, makeFolders, type Saved, saveFiles } from '../save-many.ts';
import { makeTarget } from '../saving.ts';
import { findVersion, readVersion } from '../versions.ts';
import { count } from '../words.ts';

export const get: Command = {
  alias: 'download',
  usage: 'get PATH… [--into DIR] [--zip] [--version N] [--overwrite] | get PATH -',
  help: `saves files, and folders with all that is in them; also called download
  -             write one file to stdout instead, or with --zip one folder
  --into DIR    the folder on this machine, the current one unless given
  --zip         save a folder as one ZIP
  --version N   an older content of a file; \`versions\` lists them
  --overwrite   replace files that are there with other contents
Checksums are verified. Repeated after a break, it goes on where it was; what is there already is
not fetched again.`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        json,
        into: { type: 'string' },
        zip: { type: 'boolean', default: false },
        version: { type: 'string' },
        overwrite: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const isPrinted = positionals.at(-1) === '-' || values.into === '-';
    const paths = positionals.at(-1) === '-' ? positionals.slice(0, -1) : positionals;
    const isSingle = isPrinted || values.zip || values.version !== undefined;
    requireCount(paths, { least: 1, ...(isSingle ? { most: 1 } : {}), what: 'PATH' });
    if (values.into === '') throw new UsageProblem('--into is empty.');
    if (isPrinted && (values.json || values.overwrite || !['-', undefined].includes(values.into))) {
      throw new UsageProblem('With - only --zip and --version are possible.');
    }
    const version = readVersion(values.version, '--version');
    if (values.zip && version !== undefined) {
      throw new UsageProblem('--zip is for folders, and --version for files.');
    }
    const [path = ''] = paths;
    return async (cli) => {
      if (isPrinted) return printFile(cli, await findOne(cli, path, values.zip), version);
      const into = resolve(cli.dir, values.into ?? '.');
      const order = { into, overwrite: values.overwrite };
      const { saved, amount, failed } = await (values.zip
        ? saveZip(cli, path, order)
        : version === undefined
          ? saveAll(cli, paths, order)
          : saveVersion(cli, path, version, order));
      cli.answer(values.json, saved, () => [
        `${saved.length} of ${count(amount, 'file')} in ${into}`,
      ]);
      return saved.length === amount && failed === 0 ? exitCodes.ok : exitCodes.failed;
    };
  },
};

type Order = { into: string; overwrite: boolean };

/** `failed` counts folders that could not be made. */
type Result = { saved: Saved[]; amount: number; failed: number };

/** @param isZip whether a folder is wanted, otherwise a file. @throws Problem if it is not one. */
async function findOne(cli: Cli, path: string, isZip: boolean): Promise<Cog> {
  const cog = await findCog(cli, path);
  if (isZip && isFile(cog)) throw new Problem(`${path} is a file; --zip is for folders.`);
  if (!isZip && !isFile(cog)) {
    throw new Problem(`${path} is a folder; only a file is possible here, or --zip.`);
  }
  return cog;
}

async function saveAll(cli: Cli, paths: string[], { into, overwrite }: Order): Promise<Result> {
  const cogs = await findCogs(cli, paths);
  const once = [...new Map(cogs.map((cog) => [cog.id, cog])).values()];
  await makeTarget(into);
  const plan = await planOf(cli, once, await nameRules(into));
  const unmade = await makeFolders(cli, plan.folders, into);
  const files = plan.files.filter(({ to }) => !isIn(to, unmade));
  const saved = await saveFiles(cli, files, { into, overwrite });
  return { saved, amount: plan.files.length, failed: unmade.length };
}

async function saveZip(cli: Cli, path: string, { into, overwrite }: Order): Promise<Result> {
  const { id, name } = await findOne(cli, path, true);
  await makeTarget(into);
  const to = localName(`${name}.zip`, await nameRules(into));
  const saved = await saveFiles(cli, [{ id, size_bytes: 0, name: to, to }], { into, overwrite });
  return { saved, amount: 1, failed: 0 };
}

async function saveVersion(
  cli: Cli,
  path: string,
  version: number,
  { into, overwrite }: Order,
): Promise<Result> {
  const { id, name } = await findOne(cli, path, false);
  const { size_bytes, checksum_sha256 } = await findVersion(cli, { id, name }, version);
  await makeTarget(into);
  const to = localName(name, await nameRules(into));
  const file = { id, version, name, to, size_bytes, checksum_sha256, isPinned: true };
  const saved = await saveFiles(cli, [file], { into, overwrite });
  return { saved, amount: 1, failed: 0 };
}
