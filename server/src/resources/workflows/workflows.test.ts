import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

describe('POST /node_definitions', () => {
  it('registers a version once, and it never changes', async () => {
    const { owner } = await cast();
    const definition = {
      name: 'count',
      version: '1',
      image: 'r.example/t:1',
      command: ['wc'],
      outputs: [],
    };

    const first = await owner.post('/node_definitions/', definition);
    const again = await owner.post('/node_definitions', { ...definition, command: ['cat'] });

    assert.equal(first.status, 201);
    assert.equal(first.body.scope, 'tenant');
    assert.equal(first.body.timeout_seconds, 3600);
    assert.equal(again.status, 409);
    assert.equal(again.body.code, 'version_exists');
  });

  it('lists all that is wrong with one', async () => {
    const { owner } = await cast();

    const { status, body } = await owner.post('/node_definitions', {
      name: 'bad',
      version: '1',
      image: '--privileged',
      command: ['x', '{{inputs.page.path}}', '{{file.size}}'],
      outputs: [
        { name: 'a', glob: '../etc/*', cardinality: 'one' },
        { name: 'a', glob: '*', cardinality: 'one' },
      ],
      params: { type: 'object', properties: { n: { type: 'nonsense' } } },
    });

    assert.equal(status, 422);
    const places = body.detail.map((fault: { loc: string[] }) => fault.loc.slice(1, 3).join('.'));
    for (const place of [
      'image',
      'command.1',
      'command.2',
      'outputs.0',
      'outputs.1',
      'params.properties',
    ]) {
      assert.ok(places.includes(place), `${place} in ${places}`);
    }
  });

  it('is refused with a secret in its command, where others could read it', async () => {
    const { owner } = await cast();

    const { status, body } = await owner.post('/node_definitions', {
      name: 'shown',
      version: '1',
      image: 'registry.example/t:1',
      command: ['x', '--key={{params.token}}', '{{params.later}}'],
      outputs: [],
      params: { type: 'object', properties: { token: { type: 'string', 'x-secret': true } } },
    });

    assert.equal(status, 422);
    assert.deepEqual(
      body.detail.map(({ loc, type }: { loc: unknown[]; type: string }) => [...loc, type]),
      [['body', 'command', 1, 'secret_in_command']],
    );
    assert.match(body.detail[0].msg, /PARAM_TOKEN/);
  });

  it("shows a tenant its own definitions, and nobody else's", async () => {
    const { owner, viewer, stranger } = await cast();
    const id = await registerNode(owner);

    assert.equal((await viewer.get(`/node_definitions/${id}`)).status, 200);
    assert.equal((await stranger.get(`/node_definitions/${id}`)).status, 404);
    const seen = (await stranger.get('/node_definitions')).body;
    assert.ok(!seen.some((row: { id: number }) => row.id === id));
  });
});

describe('a workflow', () => {
  it('is made with version 1 when a graph comes along', async () => {
    const { owner } = await cast();
    const graph = mappedGraph(await registerNode(owner));

    const { status, body } = await owner.post('/workflows/', { name: 'Each', graph });
    const version = await owner.get(`/workflows/workflow-versions/${body.latest_version_id}`);

    assert.equal(status, 201);
    assert.equal(version.body.version_number, 1);
    assert.equal(version.body.state, 'draft');
    assert.deepEqual(version.body.graph, graph);
  });

  it('has a limit of running node runs where it is given one, until that is cleared', async () => {
    const { owner } = await cast();
    const { status, body } = await owner.post('/workflows/', { name: 'Few', max_running: 2 });
    const path = `/workflows/${body.id}`;

    assert.deepEqual([status, body.max_running], [201, 2]);
    const renamed = await owner.patch(path, { name: 'Fewer' });
    assert.equal(renamed.body.max_running, 2, 'it stays when something else is changed');
    const raised = await owner.patch(path, { max_running: 1_000_000 });
    assert.deepEqual([raised.body.max_running, raised.body.name], [1_000_000, 'Fewer']);
    const cleared = await owner.patch(path, { max_running: null });
    assert.equal('max_running' in cleared.body, false);
    assert.equal('max_running' in (await owner.get(path)).body, false);
    const unlimited = await owner.post('/workflows/', { name: 'Many', max_running: null });
    assert.deepEqual([unlimited.status, 'max_running' in unlimited.body], [201, false]);
    for (const max_running of [0, -1, 1.5, 1_000_001, '2', true]) {
      const refused = await owner.patch(path, { max_running });
      assert.deepEqual(
        [refused.status, refused.body.detail[0].loc],
        [422, ['body', 'max_running']],
      );
      assert.equal((await owner.post('/workflows', { name: 'X', max_running })).status, 422);
    }
  });

  it('is another one for an Idempotency-Key if its limit differs', async () => {
    const { owner } = await cast();
    const headers = { 'idempotency-key': 'limits' };
    const create = (max_running: number) =>
      owner.post('/workflows/', { name: 'Few', max_running }, { headers });
    const first = await create(2);

    assert.equal((await create(2)).body.id, first.body.id);
    assert.equal((await create(3)).body.code, 'idempotency_mismatch');
  });

  it('is changed by its creator and by admins, seen by members, and unknown elsewhere', async () => {
    const { owner, viewer, admin, stranger } = await cast();
    const { body } = await owner.post('/workflows', { name: 'Mine' });

    assert.equal((await viewer.get(`/workflows/${body.id}`)).status, 200);
    assert.equal((await viewer.patch(`/workflows/${body.id}`, { name: 'No' })).status, 403);
    assert.equal((await viewer.delete(`/workflows/${body.id}`)).status, 403);
    assert.equal((await stranger.patch(`/workflows/${body.id}`, { name: 'No' })).status, 404);
    assert.equal((await admin.patch(`/workflows/${body.id}`, { name: 'Ours' })).body.name, 'Ours');
    assert.equal((await owner.delete(`/workflows/${body.id}`)).status, 204);
    assert.equal((await owner.get(`/workflows/${body.id}`)).status, 404);
  });
});

describe('a draft', () => {
  it('is changed under If-Match only, and by one editor at a time', async () => {
    const { owner } = await cast();
    const graph = mappedGraph(await registerNode(owner));
    const { body } = await owner.post('/workflows', { name: 'Edited', graph });
    const path = `/workflows/workflow-versions/${body.latest_version_id}`;
    const etag = (await owner.get(path)).headers.get('etag') ?? '';
    const change = { graph: { ...graph, nodes: [] } };

    assert.equal((await owner.patch(path, change)).status, 428);
    const unseen = await owner.patch(path, change, { headers: { 'if-match': '*' } });
    assert.equal(unseen.status, 428);
    const both = await Promise.all(
      [1, 2].map(() => owner.patch(path, change, { headers: { 'if-match': etag } })),
    );
    assert.deepEqual(both.map((answer) => answer.status).sort(), [200, 412]);
  });

  it('may be invalid; publishing then names every fault', async () => {
    const { owner } = await cast();
    const graph = mappedGraph(await registerNode(owner));
    graph.edges.push({ from: { input: 'files' }, to: { node: 'each', port: 'nowhere' } });
    const { body } = await owner.post('/workflows', { name: 'Wrong', graph });
    const path = `/workflows/workflow-versions/${body.latest_version_id}`;

    const validation = await owner.post(`${path}/validate`);
    const published = await owner.post(`${path}/publish`);

    assert.equal(validation.body.valid, false);
    assert.equal(validation.body.errors[0].code, 'unknown_port');
    assert.equal(published.status, 422);
    assert.equal(published.body.detail[0].type, 'unknown_port');
  });

  it('never changes again once published', async () => {
    const { owner, server } = await cast();
    const graph = mappedGraph(await registerNode(owner));
    const { body } = await owner.post('/workflows', { name: 'Published', graph });
    const path = `/workflows/workflow-versions/${body.latest_version_id}`;

    const published = await owner.post(`${path}/publish`);
    const etag = (await owner.get(path)).headers.get('etag') ?? '';
    const changed = await owner.patch(path, { graph }, { headers: { 'if-match': etag } });

    assert.equal(published.body.state, 'published');
    assert.equal(
      (await owner.get(`/workflows/${body.id}`)).body.published_version_id,
      published.body.id,
    );
    assert.equal(changed.status, 409);
    await assert.rejects(
      server.services.db`update workflow_versions set graph = '{}' where id = ${published.body.id}`,
      /never changes/,
    );
  });
});
