import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@cogworks/sdk/errors';
import { uploadOutputs } from './transfer.ts';

let dir = '';
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cogworks-transfer-'));
});
after(() => rm(dir, { recursive: true }));

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Uploads one file to a storage that handles PUTs by `onPut`. */
async function upload(size: number, onPut: Handler) {
  const path = join(dir, `file-${size}`);
  await writeFile(path, Buffer.alloc(size, 'x'));
  const storage = createServer(onPut);
  await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(storage.address() as AddressInfo).port}/bytes`;
  try {
    return await uploadOutputs(
      async () => [{ object_id: 1, url }],
      [{ port: 'out', name: 'a', path, size }],
      new AbortController().signal,
    );
  } finally {
    storage.closeAllConnections();
    storage.close();
  }
}

async function sizeOf(request: IncomingMessage): Promise<number> {
  let size = 0;
  for await (const chunk of request) size += (chunk as Buffer).length;
  return size;
}

describe('an upload', () => {
  it('for which the organization has no room fails for good, and says so', async () => {
    const detail = 'There is no room.';
    const refused = async () => {
      throw new ApiError(403, { detail, code: 'quota_exceeded' });
    };
    const files = [{ port: 'out', name: 'a', path: join(dir, 'a'), size: 1 }];

    await assert.rejects(uploadOutputs(refused, files, new AbortController().signal), {
      error_class: 'quota_exceeded',
      message: detail,
    });
  });

  it('starts from the beginning when the storage turned it away in the middle', async () => {
    const seen: number[] = [];
    const [output] = await upload(5_000_000, async (request, response) => {
      if (seen.length === 0) {
        seen.push(0);
        // The answer arrives, and the connection closes, while most of the file is still unread.
        response.writeHead(503, { connection: 'close' }).end();
        request.socket.destroySoon();
        return;
      }
      seen.push(await sizeOf(request));
      response.end();
    });

    assert.equal(output?.size_bytes, 5_000_000);
    assert.deepEqual(seen, [0, 5_000_000]);
  });

  it('can be of nothing at all', async () => {
    const [output] = await upload(0, async (request, response) => {
      assert.equal(await sizeOf(request), 0);
      response.end();
    });

    assert.match(output?.checksum_sha256 ?? '', /^e3b0c442/);
  });
});
