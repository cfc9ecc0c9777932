import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../test/cast.ts';
import { filesOf, run, type Stage, stage, versionOf } from '../../../test/runs.ts';
import { startServer } from '../../../test/server.ts';
import { until } from '../../../test/until.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

type Requirement = { kind: string; name: string; is_met?: boolean; message: string };

const templateOf = async (client: Client, given: Record<string, unknown> = {}) =>
  client.post('/workflow-templates', { name: 'Resize', category: 'Images', ...given });

async function made(people: Pick<Stage, 'owner'>, given: Record<string, unknown> = {}) {
  const graph = mappedGraph(await registerNode(people.owner));
  const { status, body } = await templateOf(people.owner, { graph, ...given });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

describe('a workflow template', () => {
  it('is kept of a graph or a version, and makes workflows that run', async () => {
    const people = await stage();
    const { owner, editor } = people;
    const graph = mappedGraph(await registerNode(owner));
    const version = await versionOf(owner, graph);
    const { body: template } = await templateOf(owner, {
      description: 'One of each.',
      workflow_version_id: version,
    });
    assert.deepEqual(template.graph.nodes, graph.nodes);
    assert.deepEqual([template.scope, template.node_count], ['tenant', 1]);

    const { status, body: workflow } = await editor.post(
      `/workflow-templates/${template.id}/instantiate`,
      { name: 'Mine' },
    );
    assert.equal(status, 201);
    assert.equal(workflow.name, 'Mine');
    assert.equal(workflow.description, 'One of each.');
    assert.equal(workflow.created_by, editor.user.id);
    const cog_ids = await filesOf(editor, 'a.txt');
    assert.equal((await run(editor, workflow.latest_version_id, { cog_ids })).status, 202);
  });

  it('is listed by category and text, for its organization alone', async () => {
    const people = await cast();
    const { owner, viewer, stranger } = people;
    const template = await made(people, { description: 'Makes thumbnails.' });
    await made(people, { name: 'Other', category: 'Text' });
    const names = async (client: Client, query = '') =>
      (await client.get(`/workflow-templates?${query}`)).body.map(
        ({ name }: { name: string }) => name,
      );
    assert.deepEqual(await names(viewer), ['Resize', 'Other']);
    assert.deepEqual(await names(viewer, 'category=Images'), ['Resize']);
    assert.deepEqual(await names(viewer, 'q=THUMB'), ['Resize']);
    assert.deepEqual(await names(viewer, 'q=%25'), []);
    assert.deepEqual(await names(stranger), []);
    const [listed] = (await owner.get('/workflow-templates')).body;
    assert.equal('graph' in listed, false);
    assert.deepEqual(listed.shape, {
      nodes: [{ key: 'each', map: true }],
      edges: [{ from: { input: 'files' }, to: { node: 'each' } }],
      inputs: [{ name: 'files' }],
    });
    const at = `/workflow-templates/${template.id}`;
    assert.equal((await stranger.get(at)).status, 404);
    assert.equal((await stranger.post(`${at}/instantiate`, { name: 'X' })).status, 404);
  });

  it('says what it needs and what is missing', async () => {
    const people = await cast();
    const { owner, admin } = people;
    const definition = await registerNode(owner, {
      network: 'egress',
      title: 'Fetch',
      params: { type: 'object', properties: { token: { type: 'string', 'x-secret': true } } },
    });
    const graph = {
      ...mappedGraph(definition, { params: { token: { $secret: 'TOKEN' } } }),
      variables: [
        { variable_name: 'city', type: 'string', required: true, description: 'Where.' },
        { variable_name: 'size', type: 'integer', default: 1 },
      ],
    };
    const { body: template } = await templateOf(owner, { graph });
    const requirements = async (): Promise<Requirement[]> =>
      (await owner.get(`/workflow-templates/${template.id}`)).body.requirements;
    assert.deepEqual(
      (await requirements()).map(({ kind, name, is_met }) => [kind, name, is_met]),
      [
        ['registry', '127.0.0.1:5999', false],
        ['secret', 'TOKEN', false],
        ['egress', 'Fetch', false],
        ['resources', 'Fetch', false],
        ['variable', 'city', undefined],
      ],
    );
    await admin.post('/secrets', { name: 'TOKEN', kind: 'generic', value: 'x' });
    const [, secret] = await requirements();
    assert.deepEqual([secret?.is_met, secret?.message], [true, 'It uses the secret TOKEN.']);

    const equipped = await stage();
    const other = await made(equipped);
    const { body } = await equipped.owner.get(`/workflow-templates/${other.id}`);
    assert.ok(body.requirements.every(({ is_met }: Requirement) => is_met));
  });

  it('can be published as it is, or is refused with every fault', async () => {
    const { owner } = await cast();
    const graph = mappedGraph(999_999_999);
    const { status, body } = await templateOf(owner, { graph });
    assert.equal(status, 422);
    assert.equal(body.detail[0].type, 'unknown_definition');
    assert.equal((await templateOf(owner)).body.detail[0].loc[1], 'graph');
    assert.equal((await templateOf(owner, { workflow_version_id: 999_999_999 })).status, 404);
  });

  it('is deleted by whoever made it and administrators; its workflows stay', async () => {
    const people = await cast();
    const { owner, viewer, admin } = people;
    const template = await made(people);
    const at = `/workflow-templates/${template.id}`;
    const { body: workflow } = await viewer.post(`${at}/instantiate`, { name: 'Stays' });
    assert.equal((await viewer.delete(at)).status, 403);
    assert.equal((await owner.delete(at)).status, 204);
    assert.equal((await owner.get(at)).status, 404);
    assert.equal((await viewer.get(`/workflows/${workflow.id}`)).status, 200);
    const second = await made(people);
    assert.equal((await admin.delete(`/workflow-templates/${second.id}`)).status, 204);
  });

  it('of the platform is for all, made by its administrators of its own nodes', async () => {
    const server = await startServer();
    const { admin, stranger } = await cast(server);
    const own = await registerNode(admin);
    const forAll = { graph: mappedGraph(own), scope: 'platform' };
    assert.equal((await templateOf(admin, forAll)).status, 403);
    const { db } = server.services;
    await db`update users set is_platform_admin = true where id = ${admin.user.id}`;
    await db`select pg_notify('callers', 'user ' || ${admin.user.id}::text)`;
    // Servers learn of it by a notice.
    const refused = await until('it is known', async () => {
      const answer = await templateOf(admin, forAll);
      return answer.status !== 403 && answer;
    });
    assert.deepEqual([refused.status, refused.body.detail[0].loc], [422, ['body', 'graph']]);
    const [shared] = await db<{ id: number }[]>`
      insert into node_definitions
        (name, version, title, image, command, inputs, outputs, params, resources, timeout_seconds,
         retry, cache)
      select name, version, title, image, command, inputs, outputs, params, resources,
        timeout_seconds, retry, cache
      from node_definitions where id = ${own}
      returning id
    `;
    const graph = mappedGraph(shared?.id ?? 0);
    const { status, body } = await templateOf(admin, { ...forAll, graph });
    assert.equal(status, 201, JSON.stringify(body));
    const seen = await stranger.get(`/workflow-templates/${body.id}`);
    assert.equal(seen.body.scope, 'platform');
    assert.equal((await stranger.delete(`/workflow-templates/${body.id}`)).status, 403);
    assert.equal((await admin.delete(`/workflow-templates/${body.id}`)).status, 204);
  });
});
