import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { canonicalJson, logicText } from '@cogworks/graph/hash';
import { type Client, cast } from '../../../test/cast.ts';
import { until } from '../../../test/until.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../../test/workflows.ts';

/** A draft of this graph. @returns the path of its version. */
async function draft(owner: Client, graph: unknown): Promise<string> {
  const { status, body } = await owner.post('/workflows', { name: 'Large', graph });
  assert.equal(status, 201, JSON.stringify(body));
  return `/workflows/workflow-versions/${body.latest_version_id}`;
}

describe('a graph with many faults', () => {
  it('is told a hundred errors and warnings, and how many more there are', async () => {
    const { owner } = await cast();
    const node_definition_id = await registerNode(owner);
    const nodes = Array.from({ length: 300 }, (_, at) => ({ key: `n${at}`, node_definition_id }));
    const variables = nodes.map(({ key }) => ({ variable_name: key, type: 'string' }));
    const path = await draft(owner, { nodes, variables });

    const { body } = await owner.post(`${path}/validate`);
    assert.deepEqual([body.errors.length, body.more_errors], [100, 200]);
    assert.deepEqual([body.warnings.length, body.more_warnings], [100, 200]);

    const published = await owner.post(`${path}/publish`);
    assert.equal(published.status, 422);
    assert.deepEqual([published.body.detail.length, published.body.more_faults], [100, 200]);
  });

  it('is not told back its own megabytes', async () => {
    const { owner } = await cast();
    const node_definition_id = await registerNode(owner);
    const params = { ['k'.repeat(200_000)]: Array.from({ length: 200 }, () => '{{wrong}}') };
    const path = await draft(owner, { nodes: [{ key: 'a', node_definition_id, params }] });
    const { body } = await owner.post(`${path}/validate`);
    assert.equal(body.errors.length, 100);
    assert.ok(JSON.stringify(body).length < 400_000);
  });
});

describe('a list', () => {
  it('of versions has no graphs, and says how large they are', async () => {
    const { owner } = await cast();
    const graph = mappedGraph(await registerNode(owner));
    const { body } = await owner.post('/workflows', { name: 'Listed', graph });

    const list = await owner.get(`/workflows/${body.id}/versions`);
    assert.equal(list.status, 200);
    assert.deepEqual(Object.keys(list.body[0]).sort(), [
      'created_at',
      'created_by',
      'graph_hash',
      'id',
      'input_count',
      'logic_hash',
      'node_count',
      'state',
      'version_number',
      'workflow_id',
    ]);
    assert.deepEqual([list.body[0].node_count, list.body[0].input_count], [1, 1]);
    const one = await owner.get(`/workflows/workflow-versions/${list.body[0].id}`);
    assert.deepEqual(one.body.graph.nodes, graph.nodes);
  });

  it('of large definitions or runs ends a page early, and leads on to the next', async () => {
    const { owner, admin } = await cast();
    await storeCredentials(admin);
    const description = 'x'.repeat(900_000);
    const params = { type: 'object', description };
    const definitions = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(() => registerNode(owner, { params, inputs: [] })),
    );
    await assertAllListed(owner, '/node_definitions?limit=1000', definitions);

    const names = Array.from({ length: 16 }, (_, at) => `v${at}`);
    const version = await draft(owner, {
      nodes: [{ key: 'a', node_definition_id: definitions[0] }],
      variables: names.map((variable_name) => ({ variable_name, type: 'string' })),
    });
    const extra_variables = Object.fromEntries(names.map((name) => [name, 'x'.repeat(60_000)]));
    const runs = await Promise.all(
      definitions.map(async () => {
        const started = await owner.post(`${version}/run`, { cog_ids: [], extra_variables });
        assert.equal(started.status, 202, JSON.stringify(started.body));
        return started.body.workflow_run_id;
      }),
    );
    await assertAllListed(owner, '/workflows/workflow-runs?limit=1000', runs);
  });
});

/** Reads a list to its end: every page within the limit, and every item exactly once. */
async function assertAllListed(owner: Client, path: string, ids: number[]) {
  const found: number[] = [];
  let pages = 0;
  for (let next: string | undefined = path; next !== undefined; pages += 1) {
    const { status, body, headers } = await owner.get(next);
    assert.equal(status, 200);
    assert.ok(JSON.stringify(body).length < 6_000_000);
    found.push(...body.map((row: { id: number }) => row.id));
    const link = /<https?:\/\/[^/]+([^>]+)>/.exec(headers.get('link') ?? '');
    next = link?.[1];
  }
  assert.equal(pages, 2);
  assert.deepEqual(
    found.toSorted((a, b) => a - b),
    ids.toSorted((a, b) => a - b),
  );
}

/** A graph above 32 KiB, which a thread parses. */
const large = (graph: object) => ({
  variables: [{ variable_name: 'unused', type: 'string', description: 'x'.repeat(2000) }],
  inputs: Array.from({ length: 100 }, (_, at) => ({ name: `i${at}${'x'.repeat(40)}` })),
  edges: [],
  nodes: [],
  ...graph,
});

describe('a large graph', () => {
  it('is kept, hashed and answered as a small one is', async () => {
    const { owner } = await cast();
    const node_definition_id = await registerNode(owner, { inputs: [] });
    const params = {
      text: 'é"\\🙂',
      deep: [{ b: 1, a: [1.5, true, null] }],
      filler: 'x'.repeat(40_000),
    };
    const notes = [
      { id: '1', text: '# é', position: { x: 0, y: 0 }, size: { width: 9, height: 9 } },
    ];
    const graph = large({ nodes: [{ key: 'a', node_definition_id, params, title: 'A' }], notes });
    const path = await draft(owner, graph);

    const { body, headers } = await owner.get(path);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(body.graph, graph);
    assert.deepEqual(body.variables, [{ ...graph.variables[0], required: false }]);
    assert.deepEqual((await owner.get(`${path}/variables`)).body, body.variables);
    assert.equal(body.graph_hash, createHash('sha256').update(canonicalJson(graph)).digest('hex'));
    assert.equal(body.logic_hash, createHash('sha256').update(logicText(graph)).digest('hex'));

    const change = { graph: { ...graph, edges: [] } };
    const etag = headers.get('etag') ?? '';
    const changed = await owner.patch(path, change, { headers: { 'if-match': etag } });
    assert.equal(changed.status, 200, JSON.stringify(changed.body).slice(0, 300));
    assert.equal(changed.body.graph_hash, body.graph_hash);
    assert.notEqual(changed.headers.get('etag'), etag);

    const copied = await owner.post(`/workflows/${body.workflow_id}/versions`, {});
    assert.equal(copied.status, 201);
    assert.deepEqual(copied.body.graph, graph);
    assert.equal(copied.body.graph_hash, body.graph_hash);
  });

  it('is told its faults as a small one is', async () => {
    const { owner } = await cast();
    const send = (body: string) =>
      owner.fetch('/workflows', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
    const filler = 'x'.repeat(40_000);
    const told = async (graph: unknown) => {
      const answer = await send(JSON.stringify({ name: 'x', graph, filler }));
      const { detail } = (await answer.json()) as { detail: { loc: unknown[] }[] };
      return [answer.status, detail.map(({ loc }) => loc.join('.'))];
    };
    assert.deepEqual(await told({ nodes: [{ key: 1 }] }), [
      422,
      ['body.filler', 'body.graph.nodes.0.node_definition_id', 'body.graph.nodes.0.key'],
    ]);
    assert.deepEqual(await told({ nodes: [{ key: '\0', node_definition_id: 1 }] }), [
      422,
      ['body.filler', 'body.graph.nodes.0.key'],
    ]);
    assert.equal((await send(`{"name": "${filler}`)).status, 400);
    assert.equal((await send(`[${'[],'.repeat(200_000)}1]`)).status, 413);
  });

  it('is made once for one Idempotency-Key, and told apart from another', async () => {
    const { owner } = await cast();
    const graph = large({ nodes: [{ key: 'a', node_definition_id: 1, title: 'One' }] });
    const { body } = await owner.post('/workflows', { name: 'Twice' });
    const send = (given: unknown) =>
      owner.post(
        `/workflows/${body.id}/versions`,
        { graph: given },
        { headers: { 'idempotency-key': 'same' } },
      );
    const first = await send(graph);
    const again = await send(graph);
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.deepEqual(again.body, first.body);
    assert.equal((await send({ ...graph, nodes: [] })).status, 409);
  });

  it('whose check would take minutes is told so, and holds up nobody', async () => {
    const { owner, stranger } = await cast();
    const value = 'a'.repeat(9_999);
    const variables = Array.from({ length: 300 }, (_, at) => ({
      variable_name: `v${at}`,
      type: 'string',
      pattern: '(a|b|c|d){60}z',
      default: value,
    }));
    const path = await draft(owner, { nodes: [], variables });
    // On a machine that does much else it may get no core, and is asked for again.
    const validated = async () => {
      const answer = await owner.post(`${path}/validate`);
      return answer.status !== 503 && answer;
    };
    const validation = until('it gets a core', validated);
    assert.equal((await stranger.get('/me')).status, 200);
    const { status, body } = await validation;
    assert.equal(status, 200);
    assert.match(JSON.stringify(body.errors), /too costly to match/);
  });
});
