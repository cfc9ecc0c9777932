import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { storeTextImage, textImage } from '../../../../test/platform-images.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { keepShippedTemplates } from './shipped.ts';
import { shippedTemplates } from './templates.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the server really sent
type Json = any;

describe('the templates of a release', () => {
  let server: TestServer;

  before(async () => {
    server = await startServer();
    await keepShippedTemplates(server.services.db);
  });

  const listed = async (client: Client): Promise<Json[]> =>
    (await client.get('/workflow-templates')).body;
  const templateOf = async (client: Client, category: string) => {
    const template = (await listed(client)).find((one) => one.category === category);
    return (await client.get(`/workflow-templates/${template.id}`)).body;
  };
  const image = ({ requirements }: Json) => requirements.find(({ kind }: Json) => kind === 'image');

  it('are there for every tenant, and make workflows that can be published', async () => {
    const { viewer, owner } = await cast(server);
    const templates = await listed(viewer);

    assert.deepEqual(
      templates.map(({ name, scope, is_shipped }) => [name, scope, is_shipped]),
      shippedTemplates.map(({ name }) => [name, 'platform', true]),
    );
    for (const { id, name } of templates) {
      const made = await owner.post(`/workflow-templates/${id}/instantiate`, { name });
      assert.equal(made.status, 201);
      const version = `/workflows/workflow-versions/${made.body.latest_version_id}`;
      const checked = (await owner.post(`${version}/validate`)).body;
      assert.deepEqual([checked.valid, checked.errors, checked.warnings], [true, [], []], name);
      assert.equal((await owner.post(`${version}/publish`)).status, 200, name);
    }
  });

  it('stay as they are when a server starts again, and follow another release', async () => {
    const { db } = server.services;
    const rows = () => db<Json[]>`
      select id, shipped_as, name, graph_hash,
        (select count(*) from node_definitions where tenant_id is null) as definitions
      from workflow_templates where shipped_as is not null order by id
    `;
    const first = [...(await rows())];

    await Promise.all([keepShippedTemplates(db), keepShippedTemplates(db)]);
    assert.deepEqual([...(await rows())], first);

    await db`update workflow_templates set name = 'Before', graph_hash = '' where shipped_as = 'scans'`;
    await db`update workflow_templates set shipped_as = 'gone' where shipped_as = 'inventory'`;
    await keepShippedTemplates(db);
    const names = (await rows()).map(({ shipped_as, name }) => [shipped_as, name]);
    assert.deepEqual(names.sort(), shippedTemplates.map(({ key, name }) => [key, name]).sort());
  });

  it('bring samples to try them on, which every tenant reads', async () => {
    const { viewer, stranger } = await cast(server);
    for (const { id, name, samples, shape } of await listed(viewer)) {
      assert.ok(samples.length > 1 && shape.nodes.length > 0, name);
      const { inputs } = shippedTemplates.find((one) => one.name === name)?.graph ?? {};
      assert.deepEqual(shape.inputs, inputs);
      assert.deepEqual((await viewer.get(`/workflow-templates/${id}`)).body.samples, samples);
      for (const sample of samples) {
        const answer = await stranger.fetch(`/workflow-templates/${id}/samples/${sample.name}`);
        const bytes = await answer.arrayBuffer();
        assert.equal(answer.headers.get('content-type')?.split(';')[0], sample.media_type);
        assert.equal(bytes.byteLength, sample.size_bytes, sample.name);
      }
      const unknown = await viewer.get(`/workflow-templates/${id}/samples/..%2Fsamples.ts`);
      assert.deepEqual(
        [unknown.status, unknown.body.detail],
        [404, 'This template has no such sample.'],
      );
    }
  });

  it('are deleted by nobody', async () => {
    const { admin } = await cast(server);
    const [{ id }] = await listed(admin);

    const refused = await admin.delete(`/workflow-templates/${id}`);

    assert.equal(refused.status, 403);
    assert.match(refused.body.detail, /comes with the release/);
  });

  it('say how far their images are, which begin to be made with the first workflow', async () => {
    const { owner } = await cast(server);
    const { db } = server.services;
    await db`delete from platform_images`;
    const absent = await templateOf(owner, 'Files');
    assert.deepEqual([image(absent).state, image(absent).is_met], ['absent', true]);
    assert.match(image(absent).message, /when it is first needed: about \d+ MB/);
    assert.ok(!absent.requirements.some(({ kind }: Json) => kind === 'registry'));

    await owner.post(`/workflow-templates/${absent.id}/instantiate`, { name: 'Inventory' });
    const building = image(await templateOf(owner, 'Files'));
    assert.deepEqual([building.state, building.is_met], ['building', true]);

    await db`update platform_images set state = 'failed', step = 'There is no network.'`;
    const failed = image(await templateOf(owner, 'Files'));
    assert.deepEqual([failed.state, failed.is_met], ['failed', false]);
    assert.match(failed.message, /could not be made. There is no network./);

    await storeTextImage(server);
    const ready = image(await templateOf(owner, 'Files'));
    assert.deepEqual(ready, {
      ...{ kind: 'image', name: textImage.name, is_met: true, state: 'ready' },
      message: 'Its image "text" is ready.',
    });
  });
});
