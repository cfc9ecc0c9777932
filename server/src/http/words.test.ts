import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';

describe('what the API says of a fault', () => {
  const table: [string, string, unknown, string[]][] = [
    ['GET', '/workflows/workflow-runs/abc', undefined, ['Must be a whole number.']],
    ['GET', '/cogs/?limit=5000', undefined, ['Must be at most 1000.']],
    ['POST', '/cogs/', {}, ['This field is required.', 'This field is required.']],
    [
      'POST',
      '/cogs/',
      { name: 7, cog_type: 'asset_folder', colour: 'red' },
      ['There is no such field.', 'Must be a text.'],
    ],
    ['POST', '/api-keys/', { description: '' }, ['Must not be empty.']],
    [
      'POST',
      '/api-keys/',
      { description: 'x', expires_at: 'tomorrow' },
      ['Must be a date and time with a time zone, such as 2026-03-01T09:30:00Z.'],
    ],
    ['POST', '/workflows/workflow-versions/1/run', { cog_ids: 'all' }, ['Must be a list.']],
  ];
  for (const [method, path, body, wanted] of table) {
    it(`of ${method} ${path} with ${JSON.stringify(body)} is ${wanted.join(' ')}`, async () => {
      const { admin } = await cast();
      const answer = method === 'GET' ? await admin.get(path) : await admin.post(path, body);

      assert.equal(answer.status, 422);
      const said = answer.body.detail.map((fault: { msg: string }) => fault.msg);
      assert.deepEqual(said.sort(), wanted.sort());
    });
  }

  it('of an address is no other than of anything else', async () => {
    const { admin, server } = await cast();
    for (const [path, status, words] of [
      ['/cogs/%zz', 400, 'The address is not percent-encoded as a URL is.'],
      ['/v2/t1/%zz/manifests/1', 400, 'The address is not percent-encoded as a URL is.'],
      [`/cogs/${'1'.repeat(400)}`, 404, (await admin.get('/nowhere')).body.detail],
    ]) {
      const response = await fetch(server.url + path);
      assert.equal(response.status, status);
      assert.deepEqual(await response.json(), { detail: words });
    }
  });

  it('names what is missing as people do', async () => {
    const { admin } = await cast();
    for (const [path, words] of [
      ['/cogs/999999', 'There is no such file or folder, or you may not see it.'],
      ['/workflows/workflow-runs/999999', 'There is no such run.'],
      ['/nowhere', 'There is nothing at this address.'],
    ] as const) {
      assert.equal((await admin.get(path)).body.detail, words);
    }
  });
});
