import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, look, run, stage, versionOf } from '../../../test/runs.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

describe('a run', () => {
  it('tells whether its draft does something else by now than what ran', async () => {
    const { owner } = await stage();
    const definition = await registerNode(owner);
    const version = await versionOf(owner, mappedGraph(definition));
    const cog_ids = await filesOf(owner, 'a');
    const whole = (await run(owner, version, { cog_ids })).body.workflow_run_id;
    const part = (await run(owner, version, { cog_ids, until: 'each' })).body.workflow_run_id;
    const path = `/workflows/workflow-versions/${version}`;
    const edit = async (over: Record<string, unknown>) => {
      const etag = (await owner.get(path)).headers.get('etag') ?? '';
      const graph = mappedGraph(definition, over);
      await owner.patch(path, { graph }, { headers: { 'if-match': etag } });
      return (await look(owner, whole)).is_version_changed;
    };

    assert.equal((await look(owner, whole)).is_version_changed, false);
    assert.equal(await edit({ position: { x: 1, y: 1 } }), false);
    assert.equal(await edit({ on_error: 'continue' }), true);
    assert.equal((await look(owner, part)).is_version_changed, undefined);
    await owner.post(`${path}/publish`);
    const published = (await run(owner, version, { cog_ids })).body.workflow_run_id;
    assert.equal((await look(owner, whole)).is_version_changed, true);
    assert.equal((await look(owner, published)).is_version_changed, false);
  });

  it('tells the folder that was given for its outputs, and its priority, to start another', async () => {
    const { owner } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const given = (await owner.post('/cogs', { name: 'Given', cog_type: 'asset_folder' })).body.id;
    const cog_ids = await filesOf(owner, 'a');
    const wanted = { cog_ids, output_parent_id: given, priority: 'high' };
    const { workflow_run_id } = (await run(owner, version, wanted)).body;
    const plain = (await run(owner, version, { cog_ids })).body.workflow_run_id;

    const { output_parent_id, priority } = await look(owner, workflow_run_id);

    assert.deepEqual({ output_parent_id, priority }, { output_parent_id: given, priority: 'high' });
    assert.equal((await look(owner, plain)).output_parent_id, undefined);
    const [first] = (await owner.get('/workflows/workflow-runs')).body.slice(1);
    assert.equal(first.output_parent_id, given);
  });
});
