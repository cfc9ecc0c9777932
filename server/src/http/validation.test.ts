import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';
import { registerNode } from '../../test/workflows.ts';

const post = async (count: number) => {
  const { owner } = await cast();
  const nodes = Array.from({ length: count }, () => 0);
  return owner.post('/workflows', {
    name: 'x',
    graph: { nodes, edges: [], inputs: [], variables: [] },
  });
};

describe('a body nested without end', () => {
  it('is refused, wherever any JSON is taken', async () => {
    const { owner } = await cast();
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const node = `{"key":"a","node_definition_id":1,"params":{"deep":${deep}}}`;
    const answer = await owner.fetch('/workflows', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"name":"x","graph":{"nodes":[${node}],"edges":[],"inputs":[],"variables":[]}}`,
    });
    assert.equal(answer.status, 422);
    assert.match(await answer.text(), /nested more than 200 levels/);
  });
});

describe('what the database cannot hold', () => {
  const raw = async (path: string, body: string) => {
    const { owner } = await cast();
    const answer = await owner.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { detail } = (await answer.json()) as { detail: { loc: unknown; msg: string }[] };
    return { status: answer.status, detail };
  };
  const graph = (params: string) =>
    `{"name":"x","graph":{"nodes":[{"key":"a","node_definition_id":1,"params":${params}}]}}`;
  const at = ['body', 'graph', 'nodes', 0, 'params'];

  for (const [what, path, body, loc] of [
    ['U+0000 in a name', '/workflows', '{"name":"a\\u0000"}', ['body', 'name']],
    ['U+0000 in a value', '/workflows', graph('{"x":["\\u0000"]}'), [...at, 'x', 0]],
    ['U+0000 in a key', '/workflows', graph('{"x":{"\\u0000":1}}'), [...at, 'x']],
    ['half a surrogate pair', '/workflows', graph('{"x/~":"\\ud800"}'), [...at, 'x/~']],
    ['the other half', '/workflows', graph('{"x":"a\\udc00b"}'), [...at, 'x']],
    ['halves in the wrong order', '/cogs', '{"name":"\\udc00\\ud800"}', ['body', 'name']],
    ['half a pair in a key', '/workflows', graph('{"\\ud800":1}'), at],
    ['a number beyond a double', '/workflows', graph('{"x":1e999}'), [...at, 'x']],
    [
      'a day that is none',
      '/api-keys',
      '{"description":"x","expires_at":"2027-02-30T00:00:00Z"}',
      ['body', 'expires_at'],
    ],
  ] as const) {
    it(`is 422: ${what}`, async () => {
      const { status, detail } = await raw(path, body);
      assert.equal(status, 422, JSON.stringify(detail));
      assert.deepEqual(
        detail.filter(({ loc: found }) => String(found) === String(loc)).length,
        1,
        JSON.stringify(detail),
      );
    });
  }

  it('is 422 in a query as well', async () => {
    const { owner } = await cast();
    const { status, body } = await owner.get('/node_definitions?q=%00');
    assert.equal(status, 422);
    assert.deepEqual(body.detail[0].loc, ['query', 'q']);
  });

  it('is 422 where a number is too small for its column', async () => {
    const { owner } = await cast();
    const definition = { name: 'tiny', version: '1', image: 'a/b', command: ['x'], outputs: [] };
    const resources = { cpu: 1e-300, memory_mb: 64, gpu: 0, disk_mb: 64 };
    assert.equal((await owner.post('/node_definitions', { ...definition, resources })).status, 422);
  });

  it('is none of the other characters there are', async () => {
    const { owner } = await cast();
    const name = '\u202e\u{1F600}\uFFFD\u200F ﷽ \uFFFF';
    const { status, body } = await owner.post('/workflows', { name, description: '\u0001\u007f' });
    assert.equal(status, 201);
    const found = (await owner.get(`/workflows/${body.id}`)).body;
    assert.deepEqual([found.name, found.description], [name, '\u0001\u007f']);
  });

  it('is not an offset, however large', async () => {
    const { owner } = await cast();
    const expires_at = '2099-01-01T00:00:00+19:59';
    const { status, body } = await owner.post('/api-keys', { description: 'x', expires_at });
    assert.equal(status, 201);
    assert.equal(body.expires_at, '2098-12-31T04:01:00.000Z');
  });
});

describe('a body with many faults', () => {
  it('is told a hundred of them, and how many more there are', async () => {
    const { status, body } = await post(20_000);
    assert.equal(status, 422);
    assert.equal(body.detail.length, 100);
    assert.equal(body.more_faults, 19_900);
  });

  it('is told all of a hundred', async () => {
    const { body } = await post(100);
    assert.equal(body.detail.length, 100);
    assert.equal(body.more_faults, undefined);
  });

  it('is not told back a key that is as long as the body', async () => {
    const { owner } = await cast();
    const { status, body } = await owner.post('/cogs', { ['k'.repeat(500_000)]: 1 });
    assert.equal(status, 422);
    assert.ok(JSON.stringify(body).length < 5000);
  });

  it('is told of its variables in the same way', async () => {
    const { owner } = await cast();
    const graph = {
      nodes: [{ key: 'a', node_definition_id: await registerNode(owner, { inputs: [] }) }],
    };
    const version = (await owner.post('/workflows', { name: 'x', graph: { ...graph, edges: [] } }))
      .body.latest_version_id;
    const names = Array.from({ length: 40_000 }, (_, index) => [`v${index}`, 1]);
    const { status, body } = await owner.post(`/workflows/workflow-versions/${version}/run`, {
      cog_ids: [],
      extra_variables: Object.fromEntries(names),
    });
    assert.equal(status, 422);
    assert.deepEqual([body.detail.length, body.more_faults], [100, 39_900]);
  });

  it('is told the first alone when it is large, or one request would fill the memory', async () => {
    const { status, body } = await post(90_000);
    assert.equal(status, 422);
    assert.deepEqual(
      body.detail.map((fault: { loc: unknown }) => fault.loc),
      [['body', 'graph', 'nodes', 0]],
    );
  });
});
