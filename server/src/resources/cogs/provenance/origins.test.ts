import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { davClient } from '../../../../test/dav.ts';
import { mapped, newVersion, provenance, purge } from '../../../../test/provenance.ts';
import { filesOf, stage } from '../../../../test/runs.ts';
import { share } from '../../../../test/sharing.ts';

describe('the provenance of a file', () => {
  it('that a user uploaded says so, and has no inputs', async () => {
    const { owner } = await stage();
    const [id = 0] = await filesOf(owner, 'a');

    const { stored_at, ...told } = await provenance(owner, id);

    assert.equal(stored_at, (await owner.get(`/cogs/${id}`)).body.created_at);
    assert.deepEqual(told, {
      cog_id: id,
      version: 1,
      is_current: true,
      origin: 'uploaded',
      stored_by: owner.user.id,
      inputs: [],
      inputs_total: 0,
      inputs_hidden: 0,
      used_in: [],
      more_used_in: false,
    });
    assert.deepEqual((await owner.get(`/cogs/${id}/provenance/inputs`)).body, []);
  });

  it('that is a copy names what was copied, to who may see that, and the run behind it', async () => {
    const { owner, viewer, results, id } = await mapped(['a']);
    const [result = 0] = results;
    const parent_id = (await owner.get('/cogs/root')).body.id;
    const copied = (await owner.post(`/cogs/${result}/copy`, { parent_id, name: 'copy' })).body.id;
    const copiedAgain = (await owner.post(`/cogs/${copied}/copy`, { parent_id, name: 'copy 2' }))
      .body.id;
    await share(owner, copied, viewer, 'viewer');

    const told = await provenance(owner, copied);
    assert.equal(told.origin, 'copied');
    assert.deepEqual(told.copied_from, {
      state: 'available',
      cog_id: result,
      current_name: 'result.txt',
      version: 1,
    });
    assert.equal(told.made_by.workflow_run_id, id);
    assert.equal(told.inputs[0].name, 'a');
    const again = await provenance(owner, copiedAgain);
    assert.deepEqual([again.copied_from.cog_id, again.made_by.workflow_run_id], [copied, id]);
    assert.deepEqual((await provenance(viewer, copied)).copied_from, { state: 'hidden' });
  });

  it('that is a copy keeps its origin when the result is removed for ever', async () => {
    const made = await mapped(['a']);
    const { owner, admin, results, id } = made;
    const [result = 0] = results;
    const parent_id = (await owner.get('/cogs/root')).body.id;
    const copied = (await owner.post(`/cogs/${result}/copy`, { parent_id })).body.id;
    await purge(made, result);

    const told = await provenance(owner, copied);

    assert.deepEqual([told.origin, told.made_by.workflow_run_id], ['copied', id]);
    assert.deepEqual(told.copied_from, { state: 'hidden' });
    assert.deepEqual((await provenance(admin, copied)).copied_from, {
      ...{ state: 'removed', cog_id: result, version: 1 },
    });
  });

  it('in a copied folder is a copy as well', async () => {
    const { owner } = await stage();
    const folder = (await owner.post('/cogs', { name: 'Folder', cog_type: 'asset_folder' })).body;
    const original = (await owner.upload('inside', 'text', folder.id)).body.id;
    const { parent_id } = folder;
    const copy = (await owner.post(`/cogs/${folder.id}/copy`, { parent_id, name: 'Copy' })).body.id;
    const [inside] = (await owner.get(`/cogs/?parent_id=${copy}`)).body;

    const told = await provenance(owner, inside.id);

    assert.deepEqual([told.origin, told.copied_from.cog_id], ['copied', original]);
    assert.equal(told.made_by, undefined);
  });

  it('tells each version by itself', async () => {
    const { owner, results, id } = await mapped(['a']);
    const [result = 0] = results;
    await newVersion(owner, result, 'by hand');
    await owner.post(`/cogs/${result}/versions/1/restore`);

    const told = await Promise.all(
      ['', '?version=2', '?version=1'].map((query) => provenance(owner, result, query)),
    );

    assert.deepEqual(
      told.map(({ version, is_current, origin, restored_from, made_by }) => [
        ...[version, is_current, origin, restored_from, made_by?.workflow_run_id],
      ]),
      [
        [3, true, 'restored', 1, id],
        [2, false, 'uploaded', undefined, undefined],
        [1, false, 'run', undefined, id],
      ],
    );
  });

  it('that a program saved by moving another over it was uploaded', async () => {
    const { owner, server } = await stage();
    const [id = 0] = await filesOf(owner, 'letter.txt');
    const dav = await davClient(server, owner);
    await dav('PUT', '/letter.tmp', { body: 'saved' });
    const headers = { destination: '/dav/letter.txt' };
    assert.equal((await dav('MOVE', '/letter.tmp', { headers })).status, 204);

    const told = await provenance(owner, id);

    assert.deepEqual([told.version, told.origin, told.copied_from], [2, 'uploaded', undefined]);
  });

  it('stays with it when it is moved', async () => {
    const { owner, results, id } = await mapped(['a']);
    const folder = (await owner.post('/cogs', { name: 'Kept', cog_type: 'asset_folder' })).body.id;
    await owner.patch(`/cogs/${results[0]}`, { parent_id: folder, name: 'moved' });

    const told = await provenance(owner, results[0] as number);

    assert.deepEqual([told.origin, told.made_by.workflow_run_id], ['run', id]);
  });
});
