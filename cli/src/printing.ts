/** Writes a file of the service to stdout. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { download } from '@cogworks/sdk/download';
import type { Cli } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { Problem } from './problem.ts';
import { differenceOf } from './saving.ts';

/** @throws Problem afterwards if the bytes are not those of the record. */
export async function printFile(
  { client, output, signal }: Cli,
  { id, checksum_sha256 }: Cog,
  version: number | undefined,
): Promise<number> {
  const downloading = await download(client, { id, version, signal });
  const hash = createHash('sha256');
  for await (const chunk of downloading.bytes) {
    hash.update(chunk);
    if (!output.write(chunk)) await once(output, 'drain', { signal });
  }
  const difference = differenceOf({ checksum_sha256 }, downloading, hash);
  if (difference) throw new Problem(`${difference} What was written is not this file.`);
  return exitCodes.ok;
}
