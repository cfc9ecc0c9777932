/** A server killed during a large upload: what was acknowledged stays, and the upload goes on. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, describe, it } from 'node:test';
import type { Client } from '../cast.ts';
import { type Installation, openInstallation } from '../installation.ts';
import { isInBucket } from '../storage.ts';
import { until } from '../until.ts';
import { bytesFor, chunk, confirm, download, initiated, putPart, sha256 } from '../uploads.ts';
import { assertNoOrphans, partialFilesOf } from './objects.ts';

const opened = await openInstallation();
const skip =
  (typeof opened === 'string' && opened) ||
  (isInBucket && 'parts in a bucket do not pass the server');
const installation = opened as Installation;

after(() => typeof opened === 'string' || installation.close());

/** Sends half of a part and then nothing, until the connection ends. */
function startPart(url: string, bytes: Uint8Array): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sending = request(url, {
    method: 'PUT',
    headers: { 'content-length': bytes.length },
  });
  sending.on('error', () => resolve()).on('close', () => resolve());
  sending.write(bytes.subarray(0, bytes.length / 2));
  return promise;
}

async function killDuring(work: () => Promise<unknown>, isThere: () => Promise<boolean>) {
  const ended = work().catch(() => {});
  await until('it is under way', isThere);
  await installation.kill();
  await ended;
  await installation.start();
}

describe('a large upload', { skip }, () => {
  it('goes on after its server was killed: during a part, and before the file was made', async () => {
    const by = installation.admin as Client;
    const bytes = bytesFor(2, 7);
    const upload = await initiated(by, bytes);
    const path = `/cogs/uploads/${upload.upload_id}`;
    const of = (number: number) => bytes.slice((number - 1) * chunk, number * chunk);
    const urlOf = (number: number): string => upload.parts[number - 1].url;
    const { etag } = await putPart(urlOf(1), of(1));

    await killDuring(
      () => startPart(urlOf(2), of(2)),
      async () => (await partialFilesOf(installation)).some((size) => size > 0),
    );

    assert.deepEqual(await partialFilesOf(installation), []);
    const { body: resumed } = await by.get(path);
    assert.deepEqual(
      resumed.parts.map((part: { part_number: number }) => part.part_number),
      [1],
    );
    const parts = [{ part_number: 1, etag }];
    for (const part_number of [2, 3]) {
      const answer = await putPart(urlOf(part_number), of(part_number));
      parts.push({ part_number, etag: answer.etag });
    }

    const { db } = installation;
    const { promise: killed, resolve: kill } = Promise.withResolvers<void>();
    const holding = db
      .transaction(async (tx) => {
        await tx.script('lock table cogs in exclusive mode');
        const confirming = confirm(by, upload, bytes.length, parts).catch(() => {});
        await until('the file is being made', async () => {
          const [row] = await tx`
            select from pg_stat_activity
            where wait_event_type = 'Lock' and query not ilike '%pg_stat_activity%'
          `;
          return row !== undefined;
        });
        installation.server.kill('SIGKILL');
        kill();
        await confirming;
        throw new Error('held long enough');
      })
      .catch((error: Error) => error.message);
    await killed;
    assert.equal(await holding, 'held long enough');
    await installation.kill();
    await installation.start();

    assert.equal((await by.get(path)).body.is_stored, true);
    const { status, body } = await confirm(by, upload, bytes.length, parts);

    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body.checksum_sha256, sha256(bytes));
    assert.deepEqual(await download(by, body.id), bytes);
    await assertNoOrphans(installation);
  });
});
