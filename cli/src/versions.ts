/** The versions of a file: their numbers as typed, and what is known of one. */
import type { FileVersion } from '@cogworks/sdk/contract.gen';
import { allRows } from '@cogworks/sdk/pages';
import type { Cli } from './command.ts';
import { Problem, UsageProblem } from './problem.ts';

/** @throws UsageProblem */
export function readVersion(word: string | undefined, option: string): number | undefined {
  if (word === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(word)) {
    throw new UsageProblem(`${option} takes the number of a version, not ${JSON.stringify(word)}.`);
  }
  return Number(word);
}

/** @throws Problem if the file has no such version, or not any more. */
export async function findVersion(
  { client, signal }: Cli,
  cog: { id: number; name: string },
  version: number,
): Promise<FileVersion> {
  const path = { id: cog.id };
  for await (const row of allRows(client, 'listFileVersions', {
    ...{ path, query: { limit: 100 }, signal },
  })) {
    if (row.version === version) return row;
  }
  throw new Problem(`“${cog.name}” has no version ${version}; \`versions\` lists those it has.`);
}
