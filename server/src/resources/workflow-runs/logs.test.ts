import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { client } from '../../../test/cast.ts';
import { filesOf, run, stage, versionOf } from '../../../test/runs.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

/** A step under way that has written these pieces. */
async function writing(...pieces: string[]) {
  const people = await stage();
  const { owner, server, worker } = people;
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
  const [order] = await worker.acquire();
  const api = client(server.url, worker.token);
  let start_offset = 0;
  const write = async (text: string) => {
    await api.post(`/workers/${worker.id}/attempts/${order.attempt_id}/logs`, {
      ...{ lease_token: order.lease_token, start_offset },
      data: Buffer.from(text).toString('base64'),
    });
    start_offset += Buffer.byteLength(text);
  };
  for (const piece of pieces) await write(piece);
  const runs = `/workflows/workflow-runs/${body.workflow_run_id}/node-runs`;
  const [{ id }] = (await owner.get(runs)).body;
  const path = `${runs}/${id}/logs`;
  const read = async (query = '', headers: Record<string, string> = {}) => {
    const answer = await owner.fetch(`${path}${query}`, { headers });
    const { status } = answer;
    return { status, text: await answer.text(), headers: answer.headers };
  };
  return { ...people, path, write, read };
}

const part = async (answer: Promise<{ status: number; text: string; headers: Headers }>) => {
  const { status, text, headers } = await answer;
  return [status, text, headers.get('content-range')];
};

describe('the log of a node run', () => {
  it('is read whole, or a part of it', async () => {
    const { read } = await writing('first ', 'second ', 'third');

    assert.deepEqual(await part(read()), [200, 'first second third', null]);
    assert.deepEqual(await part(read('?offset=6')), [200, 'second third', null]);
    assert.deepEqual(await part(read('?offset=8&limit=7')), [200, 'cond th', null]);
    assert.deepEqual(await part(read('?limit=1000')), [200, 'first second third', null]);
    assert.deepEqual(await part(read('?offset=1000')), [200, '', null]);
    for (const [range, text, told] of [
      ['bytes=0-4', 'first', '0-4'],
      ['bytes=7-', 'econd third', '7-17'],
      ['bytes=-5', 'third', '13-17'],
    ] as const)
      assert.deepEqual(await part(read('', { range })), [206, text, `bytes ${told}/18`]);
    assert.deepEqual(await part(read('?offset=6&limit=6', { range: 'bytes=-3' })), [
      ...[206, 'ond', 'bytes 3-5/6'],
    ]);
    assert.equal((await read('', { range: 'bytes=18-' })).status, 416);
  });

  it('is read in portions, byte for byte', async () => {
    const pieces = Array.from({ length: 40 }, (_, at) => `${at}: ${'ä'.repeat(at)}\n`);
    const { read } = await writing(...pieces);
    const all = pieces.join('');

    assert.equal((await read()).text, all);
    const bytes = Buffer.from(all);
    for (const [start, end] of [
      [0, bytes.length - 1],
      [100, bytes.length - 100],
      [bytes.length - 1, bytes.length - 1],
    ] as const) {
      const { text } = await read('', { range: `bytes=${start}-${end}` });
      assert.equal(text, bytes.subarray(start, end + 1).toString());
    }
  });

  it('is not sent again until more is written', async () => {
    const { read, write } = await writing('one ');
    const etag = (await read()).headers.get('etag') ?? '';
    assert.equal((await read('', { 'if-none-match': etag })).status, 304);

    await write('two');

    assert.deepEqual(await part(read('', { 'if-none-match': etag })), [200, 'one two', null]);
    const range = { range: 'bytes=0-2', 'if-range': etag };
    assert.equal((await read('', range)).status, 200, 'It has become longer.');
  });

  it('is text alone, empty before anything is written, and for its tenant', async () => {
    const { read, path, viewer, stranger } = await writing();
    const { status, text, headers } = await read();
    assert.deepEqual([status, text, headers.get('content-length')], [200, '', '0']);
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('content-security-policy'), 'sandbox');
    assert.equal((await viewer.get(path)).status, 200);
    assert.equal((await stranger.get(path)).status, 404);
  });
});
