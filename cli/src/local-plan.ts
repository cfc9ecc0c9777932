/** What is to be saved of files and folders of the service, and under which names. */
import { randomUUID } from 'node:crypto';
import { lstat, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { listTree } from '@cogworks/sdk/tree';
import type { Cli } from './command.ts';
import { type NameRules, namesIn } from './local-names.ts';
import { isFile } from './paths.ts';
import type { Wanted } from './saving.ts';

export type Plan = {
  files: Wanted[];
  /** Their paths, each after the one that it is in. */
  folders: string[];
};

/** How the file system of a folder that exists names files. */
export async function nameRules(into: string): Promise<NameRules> {
  const name = `.cogworks-${randomUUID()}`;
  const probe = join(into, name);
  try {
    await writeFile(probe, '', { flag: 'wx' });
    const other = await lstat(join(into, name.toUpperCase())).catch(() => undefined);
    return { isWindows: process.platform === 'win32', ignoresCase: other !== undefined };
  } finally {
    await rm(probe, { force: true });
  }
}

/** @returns the files as they are, and the folders with all that is below them. */
export async function planOf(cli: Cli, cogs: readonly Cog[], rules: NameRules): Promise<Plan> {
  const plan: Plan = { files: [], folders: [] };
  const top = namesIn(rules);
  for (const cog of cogs) {
    const to = top(cog.name);
    if (isFile(cog)) plan.files.push(wanted(cog, cog.name, to));
    else await addTree(cli, cog, to, plan, rules);
  }
  return plan;
}

async function addTree(cli: Cli, root: Cog, to: string, plan: Plan, rules: NameRules) {
  plan.folders.push(to);
  const folders = new Map([[root.id, { to, nameOf: namesIn(rules) }]]);
  for await (const cog of listTree(cli.client, { id: root.id, signal: cli.signal })) {
    const above = folders.get(cog.parent_id ?? root.id);
    // Moved here from elsewhere during the listing.
    if (!above) continue;
    const path = `${above.to}/${above.nameOf(cog.name)}`;
    if (isFile(cog)) {
      plan.files.push(wanted(cog, `${root.name}/${cog.path}`, path));
    } else {
      plan.folders.push(path);
      folders.set(cog.id, { to: path, nameOf: namesIn(rules) });
    }
  }
}

const wanted = (cog: Cog, name: string, to: string): Wanted => ({
  id: cog.id,
  size_bytes: cog.size_bytes ?? 0,
  checksum_sha256: cog.checksum_sha256,
  name,
  to,
});
