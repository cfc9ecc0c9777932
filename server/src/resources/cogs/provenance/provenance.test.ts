import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextOf } from '../../../../test/pages.ts';
import {
  mapped,
  newVersion,
  provenance,
  purge,
  type RunFile,
  resultsOf,
} from '../../../../test/provenance.ts';
import {
  filesOf,
  folderOfFiles,
  gatherGraph,
  look,
  run,
  stage,
  versionOf,
} from '../../../../test/runs.ts';
import { share } from '../../../../test/sharing.ts';
import { mappedGraph, registerNode } from '../../../../test/workflows.ts';

describe('the provenance of a result', () => {
  it('tells the run, version, node, image, params and variables that made it', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const made = await mapped(
      ['photo'],
      {
        digest,
        params: {
          type: 'object',
          properties: {
            width: { type: 'integer' },
            quality: { type: 'integer', default: 90 },
            token: { type: 'string', 'x-secret': true },
          },
        },
      },
      { title: 'Resize', params: { width: '{{vars.width}}' } },
    );
    const { owner, results, definition, version, id } = made;

    const { made_by, ...told } = await provenance(owner, results[0] as number);

    const ran = await look(owner, id);
    const { body: used } = await owner.get(`/node_definitions/${definition}`);
    assert.equal(told.origin, 'run');
    assert.equal(told.stored_by, owner.user.id);
    assert.deepEqual(made_by, {
      workflow_run_id: id,
      is_deleted: false,
      status: 'success',
      test_run: true,
      started_by: owner.user.id,
      created_at: ran.created_at,
      finished_at: ran.finished_at,
      workflow_id: ran.workflow_id,
      workflow_name: 'Test',
      is_workflow_deleted: false,
      workflow_version_id: version,
      version_number: 1,
      version_state: 'draft',
      is_version_changed: false,
      node_run_id: ran.node_runs[0].id,
      node_key: 'each',
      node_title: 'Resize',
      shard_index: 0,
      cached: false,
      computed_in_run_id: id,
      node_definition_id: definition,
      node_definition_name: used.name,
      node_definition_version: '1',
      image: used.image,
      digest,
      params: { width: 800, quality: 90 },
      variables: { width: 800 },
    });
    const again = await run(owner, made_by.workflow_version_id, {
      cog_ids: told.inputs.map(({ cog_id }: RunFile) => cog_id),
      extra_variables: made_by.variables,
    });
    assert.equal(again.status, 202);
  });

  it('keeps secrets as references, never as values', async () => {
    const { owner, admin, worker } = await stage();
    const params = {
      type: 'object',
      properties: { token: { type: 'string', 'x-secret': true } },
    };
    const definition = await registerNode(owner, { params });
    const secret = { name: 'API_TOKEN', kind: 'generic', value: 'only-for-the-container' };
    await admin.post('/secrets', secret);
    const node = { params: { token: { $secret: 'API_TOKEN' } } };
    const version = await versionOf(owner, mappedGraph(definition, node));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    await worker.work();
    const [result = 0] = await resultsOf(owner, body.workflow_run_id);

    const told = await provenance(owner, result);

    assert.deepEqual(told.made_by.params, { token: { $secret: 'API_TOKEN' } });
    assert.doesNotMatch(JSON.stringify(told), /only-for/);
  });

  it('names of a mapped node the file of its lane alone, in the version that it had', async () => {
    const { owner, results, inputs } = await mapped(['a', 'b', 'c']);
    const [, b = 0] = inputs;
    await newVersion(owner, b, 'later');
    await owner.patch(`/cogs/${b}`, { name: 'renamed' });

    const told = await provenance(owner, results[1] as number);

    assert.equal(told.inputs_total, 1);
    const [{ size_bytes: _, checksum_sha256, ...input }] = told.inputs;
    assert.deepEqual(input, {
      input_name: 'files',
      position: 1,
      state: 'available',
      cog_id: b,
      name: 'b',
      current_name: 'renamed',
      media_type: 'application/octet-stream',
      contributed: true,
      version: 1,
      current_version: 2,
      is_stored: true,
    });
    const versions = (await owner.get(`/cogs/${b}/versions`)).body;
    assert.equal(checksum_sha256, versions[1].checksum_sha256);
  });

  it('lists all files of a node that takes them together, page by page', async () => {
    const { owner, worker, server } = await stage();
    const join = await registerNode(owner, { inputs: [{ name: 'in', cardinality: 'many' }] });
    const version = await versionOf(owner, mappedGraph(join, { map: false }));
    const folder = await folderOfFiles(server, owner, 103);
    const { body } = await run(owner, version, { cog_ids: [folder] });
    await worker.work();
    const [result = 0] = await resultsOf(owner, body.workflow_run_id);

    const told = await provenance(owner, result);
    assert.equal(told.made_by.shard_index, undefined);
    assert.deepEqual([told.inputs.length, told.inputs_total, told.inputs_hidden], [100, 103, 0]);

    const first = await owner.get(`/cogs/${result}/provenance/inputs?limit=100&with_total=true`);
    assert.deepEqual(first.body, told.inputs);
    assert.equal(first.headers.get('x-total-count'), '103');
    const rest = await owner.get(nextOf(first.headers) ?? '');
    assert.equal(rest.headers.get('link'), null);
    assert.deepEqual(
      [...first.body, ...rest.body].map(({ position }) => position),
      Array.from({ length: 103 }, (_, position) => position),
    );
  });

  it('counts inputs that the caller may not see, without naming them', async () => {
    const { owner, viewer, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const cog_ids = await filesOf(owner, 'shown', 'private');
    const { body } = await run(owner, version, { cog_ids });
    await worker.work();
    const [result = 0] = await resultsOf(owner, body.workflow_run_id);
    await share(owner, result, viewer, 'viewer');
    await share(owner, cog_ids[0] as number, viewer, 'viewer');

    const told = await provenance(viewer, result);

    assert.deepEqual([told.inputs_total, told.inputs_hidden], [2, 1]);
    assert.equal(told.inputs[0].name, 'shown');
    assert.deepEqual(told.inputs[1], { input_name: 'files', position: 1, state: 'hidden' });
    const { body: listed } = await viewer.get(`/cogs/${result}/provenance/inputs`);
    assert.deepEqual(listed, told.inputs);
    assert.doesNotMatch(JSON.stringify(told), /private/);
  });

  it('names inputs in the trash to those who see them there', async () => {
    const { owner, viewer, admin, results, inputs } = await mapped(['a']);
    const [result = 0] = results;
    await share(owner, result, viewer, 'viewer');
    await share(owner, inputs[0] as number, viewer, 'viewer');
    assert.equal((await provenance(viewer, result)).inputs[0].state, 'available');
    await owner.delete(`/cogs/${inputs[0]}`);

    const told = await Promise.all(
      [owner, admin, viewer].map(async (who) => (await provenance(who, result)).inputs[0]),
    );

    assert.deepEqual(
      told.map(({ state, name }) => [state, name]),
      [
        ['in_trash', 'a'],
        ['in_trash', 'a'],
        ['hidden', undefined],
      ],
    );
  });

  it('keeps the record of inputs that were removed for ever, for their starter and admins', async () => {
    const made = await mapped(['a']);
    const { owner, viewer, admin, results, inputs } = made;
    const [result = 0] = results;
    await share(owner, result, viewer, 'viewer');
    await purge(made, inputs[0] as number);

    const told = await Promise.all(
      [owner, admin, viewer].map(async (who) => (await provenance(who, result)).inputs[0]),
    );

    assert.deepEqual(
      told.map(({ state, name, version }) => [state, name, version]),
      [
        ['removed', 'a', 1],
        ['removed', 'a', 1],
        ['hidden', undefined, undefined],
      ],
    );
  });

  it('outlives its run, its workflow and its version', async () => {
    const { owner, results, id, version } = await mapped(['a']);
    const { workflow_id } = await look(owner, id);
    await owner.post(`/workflows/workflow-versions/${version}/publish`);
    await owner.post(`/workflows/workflow-versions/${version}/archive`);
    assert.equal((await owner.delete(`/workflows/workflow-runs/${id}`)).status, 204);
    assert.equal((await owner.delete(`/workflows/${workflow_id}`)).status, 204);

    const { made_by, inputs } = await provenance(owner, results[0] as number);

    assert.equal(inputs[0].name, 'a');
    assert.deepEqual(
      [made_by.workflow_run_id, made_by.is_deleted, made_by.is_workflow_deleted],
      [id, true, true],
    );
    assert.deepEqual([made_by.workflow_version_id, made_by.version_state], [version, 'archived']);
  });

  it('says so where a draft was edited after it ran, and not where it was only drawn anew', async () => {
    const { owner, results, version, definition } = await mapped(['a']);
    const path = `/workflows/workflow-versions/${version}`;
    const edit = async (over: object) => {
      const etag = (await owner.get(path)).headers.get('etag') ?? '';
      const graph = mappedGraph(definition, { title: 'Edited', ...over });
      const edited = await owner.patch(path, { graph }, { headers: { 'if-match': etag } });
      assert.equal(edited.status, 200);
      return (await provenance(owner, results[0] as number)).made_by;
    };

    const drawn = await edit({ position: { x: 1, y: 1 } });
    const changed = await edit({ on_error: 'continue' });

    assert.deepEqual([drawn.is_version_changed, drawn.node_title], [false, 'each']);
    assert.deepEqual([changed.is_version_changed, changed.node_title], [true, 'each']);
  });

  it('names the node that a part of a version ran until, where that is all it may tell', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, await gatherGraph(owner));
    const cog_ids = await filesOf(owner, 'a', 'b');
    const { body } = await run(owner, version, { cog_ids, until: 'each' });
    await worker.work();
    const results = await resultsOf(owner, body.workflow_run_id);

    const { made_by, inputs } = await provenance(owner, results[0] as number);
    const { used_in } = await provenance(owner, cog_ids[0] as number);

    assert.equal(inputs.length, 1);
    assert.deepEqual([made_by.until, made_by.is_version_changed], ['each', undefined]);
    assert.deepEqual([used_in[0].until, used_in[0].files.length], ['each', 1]);
  });

  it('names the run that computed what a restart took over', async () => {
    const { owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const cog_ids = await filesOf(owner, 'a', 'b');
    const { body } = await run(owner, version, { cog_ids });
    await worker.work((order) =>
      order.shard_index === 0 ? worker.succeed(order) : worker.fail(order),
    );
    const path = `/workflows/workflow-runs/${body.workflow_run_id}/restart`;
    const restarted = (await owner.post(path, { mode: 'failed' })).body.workflow_run_id;
    await worker.work();
    const results = await resultsOf(owner, restarted);

    const told = await Promise.all(results.map((id) => provenance(owner, id)));

    assert.deepEqual(
      told
        .map(({ made_by, inputs, origin }) => [
          ...[inputs[0].name, origin, made_by.workflow_run_id, made_by.restarted_from_run_id],
          ...[made_by.cached, made_by.computed_in_run_id],
        ])
        .toSorted(),
      [
        ['a', 'run', restarted, body.workflow_run_id, true, body.workflow_run_id],
        ['b', 'run', restarted, body.workflow_run_id, false, restarted],
      ],
    );
  });
});

describe('provenance is asked for', () => {
  it('by those who may see the file alone', async () => {
    const { owner, viewer, stranger, results } = await mapped(['a']);
    const [result = 0] = results;
    for (const path of ['', '/inputs', '/runs', '/runs/1/files']) {
      const at = `/cogs/${result}/provenance${path}`;
      assert.equal((await viewer.get(at)).status, 403, path);
      const foreign = await stranger.get(at);
      assert.equal(foreign.status, 404, path);
      assert.deepEqual(foreign.body, (await stranger.get(`/cogs/999999999/provenance`)).body);
    }
    await owner.delete(`/cogs/${result}`);
    assert.equal((await owner.get(`/cogs/${result}/provenance`)).status, 404);
  });

  it('of files, and of versions that they have', async () => {
    const { owner, results } = await mapped(['a']);
    const root = (await owner.get('/cogs/root')).body.id;
    const status = async (path: string) => (await owner.get(path)).status;

    assert.equal(await status(`/cogs/${root}/provenance`), 400);
    assert.equal(await status(`/cogs/${root}/provenance/runs`), 400);
    assert.equal(await status(`/cogs/${results[0]}/provenance?version=2`), 404);
    assert.equal(await status(`/cogs/${results[0]}/provenance/inputs?version=2`), 404);
    assert.equal(await status(`/cogs/${results[0]}/provenance?version=0`), 422);
    assert.equal(await status(`/cogs/${results[0]}/provenance?version=x`), 422);
    assert.equal(await status('/cogs/x/provenance'), 422);
  });
});
