import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { FileVersion } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { everyRow } from '../lists.ts';
import { findCog, isFile } from '../paths.ts';
import { Problem } from '../problem.ts';
import type { Paint } from '../terminal.ts';
import { findVersion, readVersion } from '../versions.ts';
import { localTime, size } from '../words.ts';

export const versions: Command = {
  usage: 'versions PATH [--restore N]',
  help: `lists the contents that a file has had, the newest first
  --restore N   make version N the current content again, as a new version
To save an older one: get PATH --version N`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, restore: { type: 'string' } },
      allowPositionals: true,
    });
    requireCount(positionals, { least: 1, most: 1, what: 'PATH' });
    const [word = ''] = positionals;
    const version = readVersion(values.restore, '--restore');
    return async (cli) => {
      const { client, signal } = cli;
      const cog = await findCog(cli, word);
      if (!isFile(cog)) throw new Problem(`${word} is a folder; only files have versions.`);
      const path = { id: cog.id };
      if (version === undefined) {
        const rows = await everyRow(cli, 'listFileVersions', { path, query: { limit: 1000 } });
        cli.answer(values.json, rows, (paint) => table(rows, paint));
        return exitCodes.ok;
      }
      const { is_current } = await findVersion(cli, cog, version);
      if (is_current) throw new Problem(`Version ${version} is the current one already.`);
      const restored = await client.restoreFileVersion({
        path: { ...path, version },
        headers: { 'if-match': `"${cog.checksum_sha256}"` },
        idempotencyKey: randomUUID(),
        signal,
      });
      cli.answer(values.json, restored, () => [
        `${cog.name} is as in version ${version} again; this is version ${restored.version}`,
      ]);
      return exitCodes.ok;
    };
  },
};

function table(rows: FileVersion[], paint: Paint): string[] {
  const numbers = rows.map(({ version }) => String(version));
  const sizes = rows.map(({ size_bytes }) => size(size_bytes));
  const width = (texts: string[]) => Math.max(0, ...texts.map((text) => text.length));
  const [numberWidth, sizeWidth] = [width(numbers), width(sizes)];
  return rows.map((row, at) => {
    const number = (numbers[at] ?? '').padStart(numberWidth);
    const amount = (sizes[at] ?? '').padStart(sizeWidth);
    const what = [
      ...(row.is_current ? ['current'] : []),
      ...(row.restored_from === undefined ? [] : [`as version ${row.restored_from}`]),
    ].join(', ');
    const when = paint('dim', localTime(row.created_at));
    return `${number}  ${amount}  ${when}  ${row.checksum_sha256.slice(0, 12)}  ${what}`.trimEnd();
  });
}
