import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { heldUp } from '../../../../test/races.ts';
import { folder, ownGrant, share } from '../../../../test/sharing.ts';
import { statementsOf } from '../../../../test/statements.ts';
import { objectsOf, storedKeys } from '../../../../test/trash.ts';
import { collectDeadObjects, collectReleased } from '../../../objects/objects.ts';
import { emptyTrash, removePurged } from './trash.ts';

const { server, admin, owner, editor, viewer, stranger } = await cast();
const { db, storage } = server.services;

const trashOf = async (who: Client, query = '') => (await who.get(`/cogs/trash${query}`)).body;
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id);
const restore = (who: Client, id: number, body?: unknown) => who.post(`/cogs/${id}/restore`, body);
const removeForEver = (who: Client, id: number) => who.delete(`/cogs/${id}?permanent=true`);
const file = async (who: Client, name: string, parent?: number, bytes = name) =>
  (await who.upload(name, bytes, parent)).body;

/** All that the engine's duties do for purged cogs. */
async function purgeAll() {
  while ((await removePurged(db, 3)) > 0);
  while ((await collectReleased(db, new Date(), 100)) > 0);
  await collectDeadObjects({ db, storage }, new Date(), 1000);
}

describe('the trash', () => {
  it('lists what one deleted or owned, newest first, and all of it for admins', async () => {
    const shared = await folder(owner, 'shared');
    await share(owner, shared.id, editor, 'editor', { can_delete: true });
    const own = await file(owner, 'own', shared.id);
    const other = await file(editor, 'other', shared.id);
    await editor.delete(`/cogs/${own.id}`);
    await owner.delete(`/cogs/${other.id}`);
    await viewer.delete(`/cogs/${(await file(viewer, 'hidden')).id}`);

    assert.deepEqual(idsOf(await trashOf(owner)).slice(0, 2), [other.id, own.id]);
    assert.deepEqual(idsOf(await trashOf(editor)), [other.id, own.id]);
    assert.deepEqual(idsOf(await trashOf(admin)).slice(1, 3), [other.id, own.id]);
    assert.deepEqual(await trashOf(stranger), []);
    const [row] = await trashOf(editor);
    assert.equal(row.name, 'other');
    assert.equal(row.deleted_by, owner.user.id);
    assert.equal(row.parent_id, shared.id);
    assert.equal(Date.parse(row.expires_at) - Date.parse(row.deleted_at), 30 * 86_400_000);
    assert.equal(row.access, undefined);
  });

  it('is emptied of what one owns, and by admins of all', async () => {
    const people = await cast(server);
    const shared = await folder(people.owner, 'shared');
    await share(people.owner, shared.id, people.editor, 'editor', { can_delete: true });
    const own = await file(people.owner, 'own', shared.id);
    const other = await file(people.editor, 'other', shared.id);
    await people.editor.delete(`/cogs/${own.id}`);
    await people.owner.delete(`/cogs/${other.id}`);

    assert.equal((await people.viewer.delete('/cogs/trash')).status, 204);
    assert.deepEqual(idsOf(await trashOf(people.admin)), [other.id, own.id]);
    assert.equal((await people.editor.delete('/cogs/trash')).status, 204);
    assert.deepEqual(idsOf(await trashOf(people.admin)), [own.id]);
    assert.equal((await people.admin.delete('/cogs/trash')).status, 204);
    assert.deepEqual(await trashOf(people.admin), []);
    const { body } = await people.admin.get('/audit-events?action=cog.purged');
    assert.deepEqual(
      body.map((event: { actor_id: number; target_id: string }) => [
        event.actor_id,
        Number(event.target_id),
      ]),
      [
        [people.admin.user.id, own.id],
        [people.editor.user.id, other.id],
      ],
    );
  });

  it('is read in pages that stay in place while others are restored, with a total', async () => {
    const place = await folder(owner, 'pages');
    const ids: number[] = [];
    for (const name of ['1', '2', '3', '4', '5']) {
      const { id } = await file(owner, name, place.id);
      await owner.delete(`/cogs/${id}`);
      ids.unshift(id);
    }
    const first = await owner.get('/cogs/trash?limit=2&with_total=true');
    assert.deepEqual(idsOf(first.body), ids.slice(0, 2));
    assert.ok(Number(first.headers.get('x-total-count')) >= 5);
    await restore(owner, ids[0] as number);

    const next = /<[^>]*?(\/cogs[^>]*)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    assert.deepEqual(idsOf((await owner.get(next)).body), ids.slice(2, 4));
    assert.deepEqual(idsOf(await trashOf(owner, '?limit=2&offset=1')), ids.slice(2, 4));
  });
});

describe('restoring', () => {
  it('brings a folder back with all in it, and gives its owner a grant again', async () => {
    const top = await folder(owner, 'top');
    await share(owner, top.id, viewer, 'viewer');
    const inner = await folder(owner, 'inner', top.id);
    const leaf = await file(owner, 'leaf', inner.id);
    await share(owner, leaf.id, editor, 'editor');
    await owner.delete(`/cogs/${top.id}`);
    assert.equal((await owner.get(`/cogs/${leaf.id}`)).status, 404);

    const { status, body } = await restore(owner, top.id);

    assert.equal(status, 200);
    assert.equal(body.name, 'top');
    assert.equal(body.access.level, 'owner');
    assert.equal((await ownGrant(owner, top.id)).level, 'owner');
    assert.equal(await (await owner.fetch(`/cogs/${leaf.id}/download`)).text(), 'leaf');
    assert.equal((await viewer.get(`/cogs/${top.id}`)).status, 403);
    assert.equal((await editor.get(`/cogs/${leaf.id}`)).status, 200);
    assert.equal(idsOf(await trashOf(owner)).includes(top.id), false);
  });

  it('is open to the one who deleted it, who need not have access afterwards', async () => {
    const one = await file(owner, 'one');
    await share(owner, one.id, editor, 'editor', { can_delete: true });
    await editor.delete(`/cogs/${one.id}`);

    const { status, body } = await restore(editor, one.id);

    assert.equal(status, 200);
    assert.equal(body.access, undefined);
    assert.equal((await editor.get(`/cogs/${one.id}`)).status, 403);
    assert.equal((await owner.get(`/cogs/${one.id}`)).body.access.level, 'owner');
  });

  it('is not open to others, for whom it does not exist', async () => {
    const secret = await file(owner, 'secret');
    await share(owner, secret.id, viewer, 'viewer');
    await owner.delete(`/cogs/${secret.id}`);

    for (const who of [viewer, editor, stranger]) {
      assert.equal((await restore(who, secret.id)).status, 404);
      assert.equal((await removeForEver(who, secret.id)).status, 404);
    }
    assert.equal((await restore(admin, secret.id)).status, 200);
  });

  it('needs a free name, which can be given', async () => {
    const before = await file(owner, 'taken');
    await owner.delete(`/cogs/${before.id}`);
    await file(owner, 'taken', undefined, 'newer');

    const refused = await restore(owner, before.id);
    assert.equal(refused.status, 409);
    assert.equal(refused.body.code, 'name_collision');
    assert.equal((await restore(owner, before.id, { name: 'a/b' })).status, 422);
    const { status, body } = await restore(owner, before.id, { name: 'taken before' });
    assert.equal(status, 200);
    assert.equal(body.name, 'taken before');
  });

  it('cannot take the reserved name in the root', async () => {
    const one = await file(owner, 'to be renamed');
    await owner.delete(`/cogs/${one.id}`);

    const { body } = await restore(owner, one.id, { name: 'Workflow outputs' });

    assert.equal(body.code, 'name_reserved');
  });

  it('goes from the outside to the inside', async () => {
    const outer = await folder(owner, 'outer');
    const inside = await file(owner, 'inside', outer.id);
    await owner.delete(`/cogs/${inside.id}`);
    await owner.delete(`/cogs/${outer.id}`);

    assert.equal((await restore(owner, inside.id)).body.code, 'parent_deleted');
    assert.equal((await restore(owner, outer.id)).status, 200);
    assert.equal((await owner.get(`/cogs/${inside.id}`)).status, 404);
    assert.equal((await restore(owner, inside.id)).status, 200);
  });

  it('into a folder that is deleted with one above it meanwhile says so, and restores nothing', async () => {
    const top = await folder(owner, 'above all');
    const inner = await folder(owner, 'inner', top.id);
    const { id } = await file(owner, 'x', inner.id);
    await owner.delete(`/cogs/${id}`);

    const { status, body } = await heldUp(
      db,
      // A sibling of that name that may still vanish.
      (tx) => tx`
        insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
        values (${owner.user.tenant_id}, ${inner.id}, 'x', 'asset_folder', ${owner.user.id})
      `,
      () => restore(owner, id),
      () => owner.delete(`/cogs/${top.id}`),
    );

    assert.deepEqual([status, body.code], [409, 'parent_deleted']);
    assert.ok(idsOf(await trashOf(owner)).includes(id));
  });

  it('finds the limit of depth kept, because a deleted folder still counts until it is removed', async () => {
    const base = await folder(owner, 'base');
    const deep = await folder(owner, 'deep', base.id);
    let lowest = deep;
    for (let level = 0; level < 50; level += 1) lowest = await folder(owner, 'd', lowest.id);
    await owner.delete(`/cogs/${deep.id}`);
    let target = await folder(owner, 'target');
    for (let level = 0; level < 60; level += 1) target = await folder(owner, 't', target.id);

    const moved = () => owner.patch(`/cogs/${base.id}`, { parent_id: target.id });
    assert.equal((await moved()).body.code, 'depth_limit');
    await removeForEver(owner, deep.id);
    await purgeAll();
    assert.equal((await moved()).status, 200);
  });

  it('of a cog that is not deleted, or twice, is refused', async () => {
    const live = await file(owner, 'live');
    assert.equal((await restore(owner, live.id)).body.code, 'not_in_trash');
    await owner.delete(`/cogs/${live.id}`);
    const both = await Promise.all([restore(owner, live.id), restore(owner, live.id)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await restore(owner, 1e15)).status, 404);
  });
});

describe('removing for ever', () => {
  it('takes rows, grants and bytes of all below, whether or not they were deleted before', async () => {
    const top = await folder(owner, 'doomed');
    const inner = await folder(owner, 'inner', top.id);
    const files = [
      await file(owner, 'a', top.id),
      await file(owner, 'b', inner.id),
      await file(owner, 'c', inner.id),
    ];
    await share(owner, inner.id, viewer, 'viewer');
    await owner.delete(`/cogs/${files[2].id}`);
    await owner.delete(`/cogs/${top.id}`);
    const keys = await storedKeys(db, idsOf(files));

    assert.equal((await removeForEver(owner, top.id)).status, 204);
    assert.equal((await restore(owner, top.id)).status, 404);
    await purgeAll();

    const ids = [top.id, inner.id, ...idsOf(files)];
    assert.equal((await db`select id from cogs where id = any(${ids})`).length, 0);
    assert.equal((await db`select id from permissions where cog_id = any(${ids})`).length, 0);
    for (const key of keys) assert.equal(await storage.stat(key), undefined);
  });

  it('is for its owner and admins only', async () => {
    const one = await file(owner, 'mine');
    await share(owner, one.id, editor, 'editor', { can_delete: true });
    await editor.delete(`/cogs/${one.id}`);

    assert.equal((await removeForEver(editor, one.id)).status, 403);
    assert.equal((await removeForEver(admin, one.id)).status, 204);
    assert.equal((await removeForEver(owner, one.id)).status, 404);
  });

  it('is refused for what is not in the trash', async () => {
    const live = await file(owner, 'still live');

    assert.equal((await removeForEver(owner, live.id)).body.code, 'not_in_trash');
    assert.equal((await owner.get(`/cogs/${live.id}`)).status, 200);
    const root = (await owner.get('/cogs/root')).body;
    assert.equal((await removeForEver(admin, root.id)).body.code, 'not_in_trash');
  });

  it('keeps bytes that something else refers to', async () => {
    const one = await file(owner, 'first of two');
    const two = await file(owner, 'second of two');
    // As after a copy.
    await db`
      update cogs set object_id = (select object_id from cogs where id = ${one.id})
      where id = ${two.id}
    `;
    const [key = ''] = await storedKeys(db, [one.id]);
    await owner.delete(`/cogs/${one.id}`);
    await removeForEver(owner, one.id);
    await purgeAll();

    assert.ok(await storage.stat(key));
    assert.deepEqual(
      (await objectsOf(db, [two.id])).map(({ state, released_at }) => ({ state, released_at })),
      [{ state: 'live', released_at: undefined }],
    );
    await owner.delete(`/cogs/${two.id}`);
    await removeForEver(owner, two.id);
    await purgeAll();
    assert.equal(await storage.stat(key), undefined);
  });

  it('happens by itself after thirty days, and is told in the audit trail', async () => {
    const one = await file(owner, 'forgotten');
    await owner.delete(`/cogs/${one.id}`);
    const in29Days = new Date(Date.now() + 29 * 86_400_000);
    await emptyTrash(db, in29Days, 1000);
    assert.ok(idsOf(await trashOf(owner)).includes(one.id));

    const in31Days = new Date(Date.now() + 31 * 86_400_000);
    const { statements } = await statementsOf(server, () => emptyTrash(db, in31Days, 10_000));
    assert.ok(statements <= 4, 'however many there are');

    assert.equal(idsOf(await trashOf(owner)).includes(one.id), false);
    await purgeAll();
    assert.equal((await db`select id from cogs where id = ${one.id}`).length, 0);
    const { body } = await admin.get('/audit-events?action=cog.purged&limit=1000');
    assert.ok(body.some((event: { target_id: string }) => event.target_id === String(one.id)));
  });
});
