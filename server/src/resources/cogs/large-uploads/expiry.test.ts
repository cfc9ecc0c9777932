import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../../test/cast.ts';
import { after, kept, stateOf, stored } from '../../../../test/stored-uploads.ts';
import { bytesFor, chunk, initiated, putPart } from '../../../../test/uploads.ts';
import { collectDeadObjects } from '../../../objects/objects.ts';
import { endExpiredUploads, forgetEndedUploads } from './expiry.ts';

describe('time', () => {
  it('ends an upload: nothing of it is kept, and it is forgotten', async () => {
    const people = await cast();
    const { owner, server } = people;
    const { db, storage } = server.services;
    const { upload, again } = await stored(owner, 1);
    const open = await initiated(owner, bytesFor(1, 1), { name: 'never sent' });
    await stored(owner, 0, { name: 'small' });

    while ((await endExpiredUploads({ db, storage }, after(6), 2)) > 0);
    assert.equal((await stateOf(owner, upload)).state, 'open');
    while ((await endExpiredUploads({ db, storage }, after(8), 2)) > 0);

    assert.equal((await stateOf(owner, upload)).state, 'expired');
    const { status, body } = await again();
    assert.deepEqual([status, body.code], [409, 'upload_ended']);
    assert.equal((await putPart(open.parts[1].url, new Uint8Array(1))).status, 404);
    await collectDeadObjects({ db, storage }, after(9), 100);
    assert.deepEqual(await kept(people), { states: [], whole: 0, parts: 0 });
    while ((await forgetEndedUploads(db, after(31), 2)) > 0);
    assert.equal((await owner.get(`/cogs/uploads/${upload.upload_id}`)).status, 404);
  });

  it('ends an upload that its client never heard of, within the hour', async () => {
    const people = await cast();
    const { owner, server } = people;
    const { db, storage } = server.services;
    const { beginParts } = storage;
    storage.beginParts = async (...given) => {
      await beginParts(...given);
      throw new Error('the process died');
    };
    const fields = { name: 'x', file_size: 2 * chunk, chunk_size: chunk };
    assert.equal((await owner.post('/cogs/uploads/initiate', fields)).status, 500);
    storage.beginParts = beginParts;
    assert.deepEqual((await owner.get('/cogs/uploads')).body, []);
    assert.equal((await kept(people)).parts, 1);

    await endExpiredUploads({ db, storage }, after(1 / 20), 100);

    assert.equal((await kept(people)).parts, 0);
    await collectDeadObjects({ db, storage }, new Date(), 100);
    assert.deepEqual((await kept(people)).states, []);
  });

  it('lets no collector remove an object whose parts are still there', async () => {
    const people = await cast();
    const { owner, server } = people;
    const { db, storage } = server.services;
    await stored(owner, 1);
    const { abortParts } = storage;
    storage.abortParts = async () => {
      throw new Error('the storage does not answer');
    };

    await assert.rejects(endExpiredUploads({ db, storage }, after(20), 100));
    await collectDeadObjects({ db, storage }, after(20), 100);
    assert.deepEqual(await kept(people), { states: ['dead'], whole: 0, parts: 1 });

    storage.abortParts = abortParts;
    await endExpiredUploads({ db, storage }, after(20), 100);
    await collectDeadObjects({ db, storage }, after(20), 100);
    assert.deepEqual(await kept(people), { states: [], whole: 0, parts: 0 });
  });
});
