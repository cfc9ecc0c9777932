import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { folderOfFiles } from '../../../../test/runs.ts';
import { folder, ownGrant, share } from '../../../../test/sharing.ts';
import { costOf } from '../../../../test/statements.ts';
import { storedKeys } from '../../../../test/trash.ts';
import { collectDeadObjects, collectReleased } from '../../../objects/objects.ts';
import { removePurged } from '../trash/trash.ts';
import { addDetachedCopies } from './queries.ts';

const { server, admin, owner, editor, viewer, stranger } = await cast();
const { db, storage } = server.services;

const file = async (who: Client, name: string, parent?: number, bytes = name) =>
  (await who.upload(name, bytes, parent)).body;
const copy = (who: Client, id: number, parent_id: number, name?: string) =>
  who.post(`/cogs/${id}/copy`, { parent_id, ...(name === undefined ? {} : { name }) });
const textOf = async (who: Client, id: number) => (await who.fetch(`/cogs/${id}/download`)).text();
const inside = async (who: Client, id: number): Promise<{ id: number; name: string }[]> =>
  (await who.get(`/cogs/?parent_id=${id}&limit=1000`)).body;
const countOf = async (tenantId: number) =>
  (await db<{ count: number }[]>`select count(*) from cogs where tenant_id = ${tenantId}`)[0]
    ?.count;

/** All that the engine's duties do for purged cogs. */
async function collect() {
  while ((await removePurged(db, 100)) > 0);
  while ((await collectReleased(db, new Date(), 100)) > 0);
  await collectDeadObjects({ db, storage }, new Date(), 1000);
}

describe('a copy of a file', () => {
  it('has the same bytes and is independent of it', async () => {
    const place = await folder(owner, 'for copies');
    const original = await file(owner, 'original.txt');

    const { status, body } = await copy(owner, original.id, place.id);

    assert.equal(status, 201);
    assert.equal(body.name, 'original.txt');
    assert.equal(body.parent_id, place.id);
    assert.equal(body.checksum_sha256, original.checksum_sha256);
    assert.equal(body.mime_type, original.mime_type);
    assert.equal(body.version, 1);
    const [key, same] = await storedKeys(db, [original.id, body.id]);
    assert.equal(key, same);
    await owner.patch(`/cogs/${body.id}`, { name: 'renamed.txt' });
    await owner.delete(`/cogs/${original.id}`);
    await owner.delete(`/cogs/${original.id}?permanent=true`);
    await collect();
    assert.equal(await textOf(owner, body.id), 'original.txt');
    await owner.delete(`/cogs/${body.id}`);
    await owner.delete(`/cogs/${body.id}?permanent=true`);
    await collect();
    assert.equal(await storage.stat(key ?? ''), undefined);
  });

  it('is of its current content alone', async () => {
    const place = await folder(owner, 'current');
    const { id } = await file(owner, 'versions.txt', place.id, 'one');
    const form = new FormData();
    form.append('file', new Blob(['two']), 'any');
    await owner.fetch(`/cogs/${id}/content`, { method: 'POST', body: form });

    const { body } = await copy(owner, id, place.id, 'copy.txt');

    assert.equal(body.version, 1);
    assert.equal(await textOf(owner, body.id), 'two');
    assert.equal((await owner.get(`/cogs/${body.id}/versions`)).body.length, 1);
  });

  it('belongs to whoever copied, with no grant of the original', async () => {
    const original = await file(owner, 'shared.txt');
    await share(owner, original.id, viewer, 'viewer');
    await share(owner, original.id, editor, 'editor');
    const { body: root } = await viewer.get('/cogs/root');

    const { status, body } = await copy(viewer, original.id, root.id, 'mine.txt');

    assert.equal(status, 201);
    assert.equal(body.owner_id, viewer.user.id);
    assert.equal(body.access.level, 'owner');
    assert.equal((await ownGrant(viewer, body.id)).level, 'owner');
    assert.equal((await owner.get(`/cogs/${body.id}`)).status, 403);
    assert.equal((await editor.get(`/cogs/${body.id}`)).status, 403);
  });

  it('needs the right to see it and to add to the folder', async () => {
    const place = await folder(owner, 'closed');
    const original = await file(owner, 'secret.txt');
    const open = await folder(viewer, 'of the viewer');

    assert.equal((await copy(viewer, original.id, open.id)).status, 403);
    assert.equal((await copy(stranger, original.id, open.id)).status, 404);
    await share(owner, original.id, viewer, 'viewer');
    await share(owner, place.id, viewer, 'viewer');
    assert.equal((await copy(viewer, original.id, place.id)).status, 403);
    const { body: elsewhere } = await stranger.get('/cogs/root');
    assert.equal((await copy(owner, original.id, elsewhere.id)).status, 404);
    assert.equal((await copy(owner, original.id, original.id)).status, 400);
    assert.equal((await copy(owner, original.id, 1e15)).status, 404);
    assert.equal((await copy(viewer, original.id, open.id)).status, 201);
  });

  it('needs a free name, which can be given', async () => {
    const place = await folder(owner, 'names');
    const { id } = await file(owner, 'name.txt', place.id);
    const before = await countOf(owner.user.tenant_id);

    assert.equal((await copy(owner, id, place.id)).body.code, 'name_collision');
    assert.equal((await copy(owner, id, place.id, 'a/b')).status, 422);
    const { body: root } = await owner.get('/cogs/root');
    const reserved = await copy(owner, id, root.id, 'Workflow outputs');
    assert.equal(reserved.body.code, 'name_reserved');
    assert.equal(await countOf(owner.user.tenant_id), before);
    const both = await Promise.all([1, 2].map(() => copy(owner, id, place.id, 'once.txt')));
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
  });

  it('is made once for requests with one idempotency key', async () => {
    const place = await folder(owner, 'repeated');
    const { id } = await file(owner, 'repeated.txt', place.id);
    const headers = { headers: { 'idempotency-key': 'copy-once' } };
    const send = () =>
      owner.post(`/cogs/${id}/copy`, { parent_id: place.id, name: 'again.txt' }, headers);

    const [first, again] = [await send(), await send()];

    assert.equal(again.status, 201);
    assert.equal(again.body.id, first.body.id);
  });
});

describe('a copy of a folder', () => {
  it('holds all that is in it, at any depth, and not what is in the trash', async () => {
    const top = await folder(owner, 'project');
    const inner = await folder(owner, 'inner', top.id);
    await file(owner, 'a.txt', top.id);
    await file(owner, 'b.txt', inner.id);
    await owner.delete(`/cogs/${(await file(owner, 'gone.txt', top.id)).id}`);
    const place = await folder(owner, 'target');

    const { status, body } = await copy(owner, top.id, place.id, 'project (2)');

    assert.equal(status, 201);
    assert.equal(body.cog_type, 'asset_folder');
    const children = await inside(owner, body.id);
    assert.deepEqual(
      children.map(({ name }) => name),
      ['a.txt', 'inner'],
    );
    const [b] = await inside(owner, children[1]?.id ?? 0);
    assert.equal(await textOf(owner, b?.id ?? 0), 'b.txt');
    assert.equal((await inside(owner, top.id)).length, 2);
    const found = (await owner.get('/cogs/search?q=b.txt')).body;
    assert.equal(found.length, 2);
  });

  it('goes beside it, but not into itself or below', async () => {
    const top = await folder(owner, 'around');
    const inner = await folder(owner, 'inner', top.id);
    const { body: root } = await owner.get('/cogs/root');

    assert.equal((await copy(owner, top.id, top.id)).body.code, 'cycle');
    assert.equal((await copy(owner, top.id, inner.id)).body.code, 'cycle');
    assert.equal((await copy(admin, root.id, top.id)).body.code, 'root_folder');
    assert.equal((await copy(owner, top.id, root.id, 'around (2)')).status, 201);
    assert.equal((await copy(owner, inner.id, top.id, 'inner (2)')).status, 201);
  });

  it('keeps the limit of depth', async () => {
    const top = await folder(owner, 'deep source');
    let lowest = top;
    for (let level = 0; level < 50; level += 1) lowest = await folder(owner, 'd', lowest.id);
    let target = await folder(owner, 'deep target');
    for (let level = 0; level < 48; level += 1) target = await folder(owner, 't', target.id);

    const fits = await copy(owner, top.id, target.id);
    assert.equal(fits.status, 201);
    const one = await folder(owner, 'one more', target.id);
    assert.equal((await copy(owner, top.id, one.id)).body.code, 'depth_limit');
    let bottom = fits.body;
    for (let level = 0; level < 50; level += 1) [bottom] = await inside(owner, bottom.id);
    const { body } = await owner.post('/cogs/', {
      name: 'too deep',
      cog_type: 'asset_folder',
      parent_id: bottom.id,
    });
    assert.equal(body.code, 'depth_limit');
  });

  it('of the folder for all results holds what the caller may see in it', async () => {
    const { body: root } = await owner.get('/cogs/root');
    await db`
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id, purpose)
      values (${owner.user.tenant_id}, ${root.id}, 'Workflow outputs', 'asset_folder',
              ${admin.user.id}, 'workflow_outputs')
    `;
    const [outputs] = (await owner.get('/cogs/?name=Workflow%20outputs')).body;
    const mine = await folder(owner, 'Mine', outputs.id);
    await file(owner, 'result.txt', mine.id);
    await folder(editor, 'Theirs', outputs.id);

    const { body } = await copy(owner, outputs.id, root.id, 'Results so far');

    assert.deepEqual(
      (await inside(admin, body.id)).map(({ name }) => name),
      ['Mine'],
    );
    assert.equal((await owner.delete(`/cogs/${body.id}`)).status, 204, 'an ordinary folder');
  });

  it('costs as many statements whatever is in it, and is told in the audit trail', async () => {
    const small = await folderOfFiles(server, owner, 2);
    const large = await folderOfFiles(server, owner, 900);
    const { body: root } = await owner.get('/cogs/root');
    const costOfCopy = (id: number) =>
      costOf(server, async () => copy(owner, id, root.id, randomUUID()));

    const [one, other] = [await costOfCopy(small), await costOfCopy(large)];

    assert.equal(one.statements, other.statements);
    assert.ok(other.round_trips <= 20, `${other.round_trips} round trips`);
    const [event] = (await admin.get('/audit-events?action=cog.copied&limit=1')).body;
    assert.equal(event.details.copied_from, large);
    assert.equal(event.details.count, 901);
  });

  it('of very much is made without holding others up, and has a limit', async () => {
    const large = await folderOfFiles(server, owner, 1500);
    const { body: root } = await owner.get('/cogs/root');
    const before = await countOf(owner.user.tenant_id);

    const { status, body } = await copy(owner, large, root.id, 'a large copy');
    assert.equal(status, 201);
    assert.equal(await countOf(owner.user.tenant_id), (before ?? 0) + 1501);
    assert.equal(
      (await owner.get(`/cogs/?parent_id=${body.id}&limit=1&with_total=true`)).headers.get(
        'x-total-count',
      ),
      '1500',
    );

    const larger = await folderOfFiles(server, owner, 100_000);
    const refused = await copy(owner, larger, root.id, 'too large');
    assert.equal(refused.status, 409);
    assert.equal(refused.body.code, 'too_many_items');
    assert.match(refused.body.detail, /100,?000/);
    const small = await file(owner, 'small.txt');
    const last = await file(owner, 'last.txt');
    const cog_ids = [small.id, larger, last.id];
    const many = (await owner.post('/cogs/copy', { cog_ids, parent_id: body.id })).body.results;
    assert.equal(many[0].cog.name, 'small.txt');
    assert.deepEqual(
      many.slice(1).map(({ error }: { error: { code: string } }) => error.code),
      ['too_many_items', 'too_many_items'],
    );
  });

  it('that never came to its place is removed after an hour', async () => {
    const source = await folder(owner, 'never placed');
    await file(owner, 'in it.txt', source.id);
    const tenant = owner.user.tenant_id;
    // What other copies left behind when they could not be placed.
    await collect();
    const before = await countOf(tenant);
    const { body: root } = await owner.get('/cogs/root');
    // As if the process ended between the two transactions.
    const caller = { tenant_id: tenant, user_id: owner.user.id };
    const all = { most: 10, makes: 'all or none' } as const;
    const sources = [{ id: source.id, sees_all: true }];
    const [made] = (await addDetachedCopies(db, caller, sources, root.id, all)) ?? [];
    await collect();
    assert.equal(await countOf(tenant), (before ?? 0) + 2);
    assert.equal((await owner.get(`/cogs/${made?.id}`)).status, 404);
    assert.equal((await owner.get('/cogs/search?q=in%20it.txt')).body.length, 1);

    await db`update cogs set purged_at = now() where id = ${made?.id ?? 0}`;
    await collect();

    assert.equal(await countOf(tenant), before);
  });
});
