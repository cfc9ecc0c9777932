/**
 * A process that reads a body, computes its SHA-256, writes it to a file and syncs it. Nothing
 * else.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerTasks } from '../processes.ts';

export type PipeTask = { file: string };

/** Returns its URL. */
answerTasks(async ({ file }: PipeTask): Promise<string> => {
  const server = createServer(async (request, response) => {
    await using handle = await open(file, 'w');
    const hash = createHash('sha256');
    for await (const chunk of request as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await handle.write(chunk);
    }
    await handle.sync();
    response.writeHead(201).end(JSON.stringify({ checksum_sha256: hash.digest('hex') }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
