/** Locks: what one call has begun, another waits for. Each test fails if the lock is taken away. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../test/cast.ts';
import { heldUp } from '../../../test/races.ts';
import { folder, ownGrant, share } from '../../../test/sharing.ts';
import { recordObjects } from '../../objects/objects.ts';
import { lockTree } from '../permissions/access.ts';
import { changeTenantSettings } from '../users/users.ts';

async function stage() {
  const people = await cast();
  const { owner, server } = people;
  const docs = await folder(owner, 'Docs');
  const { body: file } = await owner.upload('a.txt', 'first', docs.id);
  return { ...people, ...server.services, tenantId: owner.user.tenant_id, docs, file };
}

describe('a move under way', () => {
  it('is waited for by all that depends on where folders are', async () => {
    const { owner, viewer, db, tenantId, docs, file } = await stage();
    const other = await folder(owner, 'Other');
    const { body: gone } = await owner.upload('gone', 'x', docs.id);
    await owner.delete(`/cogs/${gone.id}`);
    await share(owner, file.id, viewer, 'viewer');
    const { permission_id } = await ownGrant(owner, file.id, viewer);
    const inside = { cog_type: 'asset_folder', parent_id: docs.id };
    const batch = { parent_id: docs.id, files: [{ path: 'new/b', file_size: 1 }] };

    for (const [what, call, status] of [
      ['another move', () => owner.patch(`/cogs/${file.id}`, { parent_id: other.id }), 200],
      ['a new folder', () => owner.post('/cogs/', { ...inside, name: 'New' }), 201],
      ['folders of a batch', () => owner.post('/cogs/uploads/batch', batch), 201],
      ['a restoration', () => owner.post(`/cogs/${gone.id}/restore`), 200],
      ['a copy', () => owner.post(`/cogs/${other.id}/copy`, { parent_id: docs.id }), 201],
      ['a grant', () => share(owner, docs.id, viewer, 'viewer'), 201],
      [
        'a change of a grant',
        () => owner.patch(`/permissions/${permission_id}`, { level: 'editor' }),
        200,
      ],
      ['a revocation', () => owner.delete(`/permissions/${permission_id}`), 204],
      [
        'a new owner',
        () => owner.post(`/cogs/${docs.id}/transfer`, { user_id: viewer.user.id }),
        200,
      ],
      ['a deletion', () => owner.delete(`/cogs/${file.id}`), 204],
    ] as const) {
      const answer = await heldUp(db, (tx) => lockTree(tx, tenantId, 'move'), call);
      assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`);
    }
  });

  it('is undone by a later one to where the cog was, also if that was to rename it there', async () => {
    const { owner, db, tenantId, docs, file } = await stage();
    const other = await folder(owner, 'Other');

    const { status, body } = await heldUp(
      db,
      async (tx) => {
        await lockTree(tx, tenantId, 'move');
        await tx`update cogs set parent_id = ${other.id} where id = ${file.id}`;
      },
      () => owner.patch(`/cogs/${file.id}`, { name: 'b.txt', parent_id: docs.id }),
      undefined,
      { keeps: true },
    );

    assert.deepEqual([status, body.name, body.parent_id], [200, 'b.txt', docs.id]);
  });
});

describe('a folder that something is being put into', () => {
  it('is deleted afterwards', async () => {
    const { owner, db, docs } = await stage();

    const { status } = await heldUp(
      db,
      // As whoever creates something in it does.
      (tx) => tx`select from cogs where id = ${docs.id} for key share`,
      () => owner.delete(`/cogs/${docs.id}`),
      async () => assert.equal((await owner.get(`/cogs/${docs.id}`)).status, 200),
    );

    assert.equal(status, 204);
    assert.equal((await owner.upload('late', 'x', docs.id)).status, 404);
  });
});

describe('a copy under way', () => {
  it('has the name and the content that its source had at one moment', async () => {
    const { owner, db, file } = await stage();
    const other = await folder(owner, 'Other');
    const form = new FormData();
    form.set('file', new File(['second'], 'a.txt'));

    const { status, body } = await heldUp(
      db,
      (tx) => tx`select from cogs where id = ${other.id} for update`,
      () => owner.post(`/cogs/${file.id}/copy`, { parent_id: other.id }),
      async () => {
        await owner.patch(`/cogs/${file.id}`, { name: 'b.txt' });
        await owner.fetch(`/cogs/${file.id}/content`, { method: 'POST', body: form });
      },
    );

    assert.deepEqual([status, body.name, body.size_bytes], [201, 'b.txt', 'second'.length]);
  });
});

describe('what is in the trash', () => {
  it('is restored or removed for ever, not both', async () => {
    const { owner, db, file } = await stage();
    await owner.delete(`/cogs/${file.id}`);

    const [restored, purged] = await heldUp(
      db,
      (tx) => tx`update cogs set updated_at = now() where id = ${file.id}`,
      () =>
        Promise.all([
          owner.post(`/cogs/${file.id}/restore`),
          owner.delete(`/cogs/${file.id}?permanent=true`),
        ]),
      undefined,
      { waiting: 2 },
    );

    const told = [restored.status, purged.status, purged.body?.code ?? ''].join(' ');
    assert.ok(['200 409 not_in_trash', '404 204 '].includes(told), told);
    const { status } = await owner.get(`/cogs/${file.id}`);
    assert.equal(status, restored.status);
  });
});

describe('a cog that two hand over', () => {
  it('goes to one of the two, and the other hands over nothing any more', async () => {
    const { owner, editor, viewer, db, file } = await stage();
    const handOver = (to: Client) =>
      owner.post(`/cogs/${file.id}/transfer`, { user_id: to.user.id, keep_access: 'none' });

    const answers = await heldUp(
      db,
      (tx) => tx`update cogs set updated_at = now() where id = ${file.id}`,
      () => Promise.all([handOver(editor), handOver(viewer)]),
      undefined,
      { waiting: 2 },
    );

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
  });
});

describe('an earlier content', () => {
  it('that two bring back at once is the current one, each time as a version of its own', async () => {
    const { owner, db, file } = await stage();
    const form = new FormData();
    form.set('file', new File(['second'], 'a.txt'));
    await owner.fetch(`/cogs/${file.id}/content`, { method: 'POST', body: form });
    const restore = (version: number) => owner.post(`/cogs/${file.id}/versions/${version}/restore`);

    const answers = await heldUp(
      db,
      (tx) => tx`update cogs set updated_at = now() where id = ${file.id}`,
      () => Promise.all([restore(1), restore(1)]),
      undefined,
      { waiting: 2 },
    );

    assert.deepEqual(answers.map(({ body }) => body.version).sort(), [3, 4]);
    assert.equal((await owner.get(`/cogs/${file.id}/versions`)).body.length, 4);
  });
});

describe('room in the storage of a tenant', () => {
  it('is counted again when another upload that reserves it has ended', async () => {
    const { owner, db, tenantId } = await stage();
    await changeTenantSettings(db, tenantId, { storage_limit_bytes: 1000 });
    const reserving = (bytes: number, keeps: boolean) =>
      heldUp(
        db,
        (tx) => recordObjects(tx, tenantId, [bytes], 60),
        () => owner.upload(`beside ${bytes}`, 'x'.repeat(100)),
        undefined,
        { keeps },
      );

    assert.equal((await reserving(990, false)).status, 201);
    const refused = await reserving(850, true);
    assert.deepEqual([refused.status, refused.body.code], [403, 'quota_exceeded']);
  });
});

describe('bytes that are being collected', () => {
  it('become no file', async () => {
    const { owner, db, storage, tenantId, docs } = await stage();
    const { write } = storage;
    const { promise: written, resolve: tell } = Promise.withResolvers<void>();
    const { promise: going, resolve: go } = Promise.withResolvers<void>();
    storage.write = async (...given) => {
      const stored = await write(...given);
      tell();
      await going;
      return stored;
    };
    const uploading = owner.upload('late', 'x', docs.id);
    await written;
    storage.write = write;

    const { status, body } = await heldUp(
      db,
      (tx) => tx`
        update objects set state = 'dead', expires_at = null
        where tenant_id = ${tenantId} and state = 'pending'
      `,
      () => {
        go();
        return uploading;
      },
      undefined,
      { keeps: true },
    );

    assert.deepEqual([status, body.code], [409, 'object_expired']);
    assert.deepEqual((await owner.get(`/cogs/?parent_id=${docs.id}&name=late`)).body, []);
  });

  it('are not copied', async () => {
    const { owner, db, docs, file } = await stage();

    const { status } = await heldUp(
      db,
      async (tx) => {
        const object = tx`(select object_id from cogs where id = ${file.id})`;
        await tx`select from objects where id = ${object} for update`;
        await tx`update objects set state = 'dead', released_at = null where id = ${object}`;
      },
      () => owner.post(`/cogs/${file.id}/copy`, { parent_id: docs.id, name: 'copy' }),
      undefined,
      { keeps: true },
    );

    assert.equal(status, 404);
    assert.deepEqual((await owner.get(`/cogs/?parent_id=${docs.id}&name=copy`)).body, []);
  });
});
