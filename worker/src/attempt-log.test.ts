import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '@cogworks/sdk/client';
import { openLog } from './attempt-log.ts';

const mib = 1024 * 1024;

describe('the log of an attempt', () => {
  it('ends at its limit, and not with half a secret', async () => {
    const sent: Buffer[] = [];
    const client = createClient({
      baseUrl: 'http://server.test',
      token: () => 'wkt',
      fetch: async (_, init) => {
        const { start_offset, data } = JSON.parse(String(init?.body));
        assert.equal(start_offset, Buffer.concat(sent).length);
        sent.push(Buffer.from(data, 'base64'));
        return new Response(null, { status: 204 });
      },
    });
    const secret = 'a-very-long-and-secret-word';
    const log = openLog(
      client,
      { id: 1, attempt_id: 1 },
      'token',
      [secret],
      new AbortController().signal,
    );

    const before = Buffer.alloc(mib / 4, 'x');
    for (let left = 39; left > 0; left -= 1) await log.write(before);
    await log.write(Buffer.alloc(mib / 4 - secret.length + 5, 'x'));
    await log.write(Buffer.from(`${secret} and more`));
    await log.write(Buffer.from('much more'));
    await log.close();

    const written = Buffer.concat(sent).toString();
    assert.ok(!written.includes('a-very'));
    assert.match(written.slice(-60), /x\n\[The log was cut here: it reached 10 MiB\.\]\n$/);
  });
});
