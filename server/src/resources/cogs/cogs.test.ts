import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../test/cast.ts';
import { folder, share } from '../../../test/sharing.ts';
import { costOf, statementsOf } from '../../../test/statements.ts';

describe('GET /cogs/root', () => {
  it('makes the root when there is none, once for all who ask at the same time', async () => {
    const { owner, editor, viewer, admin, stranger } = await cast();

    const answers = await Promise.all(
      [owner, editor, viewer, admin, owner].map((one) => one.get('/cogs/root')),
    );

    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    const [mine] = answers;
    assert.equal(mine?.body.name, 'My Files');
    assert.equal(mine?.body.cog_type, 'master_folder');
    assert.equal(mine?.body.owner_id, admin.user.id);
    assert.ok(!('parent_id' in mine.body));
    assert.notEqual((await stranger.get('/cogs/root')).body.id, mine.body.id);
  });
});

describe('GET /cogs/:id, its path, and /cogs/root', () => {
  it('cost one statement, whoever asks and however deep the cog is', async () => {
    const { owner, admin, viewer, server } = await cast();
    const docs = await folder(owner, 'Docs');
    await share(owner, docs.id, viewer, 'viewer');
    const inner = await folder(owner, 'Inner', (await folder(owner, 'Outer', docs.id)).id);
    for (const by of [owner, admin, viewer]) {
      for (const path of [`/cogs/${inner.id}`, `/cogs/${inner.id}/path`, '/cogs/root']) {
        const { texts } = await costOf(server, async () => {
          assert.equal((await by.get(path)).status, 200);
        });

        assert.equal(texts.length, 1, texts.join('\n'));
      }
    }
  });
});

describe('POST /cogs/', () => {
  it('costs two round trips: one to read and one to write, whoever makes the folder', async () => {
    const { owner, admin, server } = await cast();
    const docs = await folder(owner, 'Docs');
    for (const [by, parent_id] of [
      [owner, docs.id],
      [admin, docs.id],
      [owner, undefined],
    ] as const) {
      await folder(by, `before ${by.user.id}`, parent_id);

      const { texts, round_trips } = await statementsOf(server, () =>
        folder(by, `after ${by.user.id}`, parent_id),
      );

      assert.ok(round_trips <= 2 && texts.length <= 6, texts.join('\n'));
    }
  });

  it('makes a folder that its maker owns, in the root unless told otherwise', async () => {
    const { owner, viewer } = await cast();

    const docs = await folder(owner, 'Docs');
    const inner = await folder(owner, 'Inner', docs.id);

    assert.equal(docs.parent_id, (await owner.get('/cogs/root')).body.id);
    assert.equal(inner.parent_id, docs.id);
    assert.equal(docs.owner_id, owner.user.id);
    assert.equal(docs.access.level, 'owner');
    assert.equal((await viewer.get(`/cogs/${docs.id}`)).status, 403);
    const grants = await owner.get(`/permissions/cogs/${inner.id}`);
    assert.deepEqual(grants.body, [], 'owned by inheritance already');
  });

  it('refuses bad bodies with the field at fault', async () => {
    const { owner } = await cast();
    const bodies = [
      [{ name: 'a/b', cog_type: 'asset_folder' }, 'body.name'],
      [{ name: '\ud800', cog_type: 'asset_folder' }, 'body.name'],
      [{ cog_type: 'asset_folder' }, 'body.name'],
      [{ name: 'a' }, 'body.cog_type'],
      [{ name: 'a', cog_type: 'file' }, 'body.cog_type'],
      [{ name: 'a', cog_type: 'master_folder' }, 'body.cog_type'],
      [{ name: 'a', cog_type: 'asset_folder', parent_id: '1' }, 'body.parent_id'],
      [{ name: 'a', cog_type: 'asset_folder', parent_id: 1e300 }, 'body.parent_id'],
      [{ name: 'a', cog_type: 'asset_folder', owner_id: 1 }, 'body.owner_id'],
    ] as const;
    for (const [body, field] of bodies) {
      const answer = await owner.post('/cogs/', body);
      assert.equal(answer.status, 422, JSON.stringify(body));
      assert.equal(answer.body.detail[0].loc.join('.'), field);
    }
    const guess = await owner.post('/cogs/', { name: 'a', cog_type: 'folder' });
    assert.equal(guess.body.detail[0].msg, 'Must be asset_folder.');
  });

  it('finds no parent in another tenant, none unknown, and none that is a file', async () => {
    const { owner, stranger, editor } = await cast();
    const foreign = await folder(stranger, 'Theirs');
    const docs = await folder(owner, 'Docs');
    const file = (await owner.upload('a.txt', 'x', docs.id)).body;
    const at = (by: Client, parent_id: number) =>
      by.post('/cogs/', { name: 'x', cog_type: 'asset_folder', parent_id });

    const [theirs, unknown] = [await at(owner, foreign.id), await at(owner, 999_999)];
    assert.equal(theirs.status, 404);
    assert.deepEqual(theirs.body, unknown.body);
    assert.equal((await at(owner, file.id)).status, 400);
    assert.equal((await at(editor, docs.id)).status, 403);
  });

  it('lets exactly one of fifty have a name', async () => {
    const { owner } = await cast();
    const docs = await folder(owner, 'Docs');

    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        owner.post('/cogs/', { name: 'Same', cog_type: 'asset_folder', parent_id: docs.id }),
      ),
    );

    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(49).fill(409)]);
    assert.ok(
      answers.every(({ status, body }) => status === 201 || body.code === 'name_collision'),
    );
  });

  it('compares names after normalising them, and by case', async () => {
    const { owner } = await cast();
    await folder(owner, 'caf\u00e9');

    const decomposed = await owner.post('/cogs/', { name: 'cafe\u0301', cog_type: 'asset_folder' });

    assert.equal(decomposed.body.code, 'name_collision');
    assert.equal((await folder(owner, 'CAF\u00c9')).name, 'CAF\u00c9');
  });

  it('answers a repeated Idempotency-Key with the first folder', async () => {
    const { owner } = await cast();
    const body = { name: 'Once', cog_type: 'asset_folder' };
    const headers = { 'idempotency-key': 'k1' };

    const [first, second] = [
      await owner.post('/cogs/', body, { headers }),
      await owner.post('/cogs/', body, { headers }),
    ];

    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal(first.body.id, second.body.id);
  });

  it('goes a hundred folders deep and no further', async () => {
    const { owner } = await cast();
    let at = await folder(owner, 'd1');
    const top = at;
    for (let depth = 2; depth <= 100; depth++) at = await folder(owner, `d${depth}`, at.id);

    const tooDeep = await owner.post('/cogs/', {
      name: 'd101',
      cog_type: 'asset_folder',
      parent_id: at.id,
    });
    assert.equal(tooDeep.body.code, 'depth_limit');
    assert.equal((await owner.upload('file.txt', 'x', at.id)).status, 201);

    const other = await folder(owner, 'Other');
    const moved = await owner.patch(`/cogs/${top.id}`, { parent_id: other.id });
    assert.equal(moved.body.code, 'depth_limit');

    // The depth of what has moved away no longer counts.
    await owner.patch(`/cogs/${at.id}`, { parent_id: other.id });
    assert.equal((await owner.patch(`/cogs/${top.id}`, { parent_id: other.id })).status, 200);
  });
});

describe('GET /cogs/:id', () => {
  it('answers another tenant as an id that does not exist', async () => {
    const { owner, stranger } = await cast();
    const docs = await folder(owner, 'Docs');

    const [foreign, unknown] = [
      await stranger.get(`/cogs/${docs.id}`),
      await stranger.get('/cogs/999999999'),
    ];

    assert.equal(foreign.status, 404);
    assert.deepEqual(foreign.body, unknown.body);
    assert.equal((await owner.get('/cogs/abc')).status, 422);
    assert.equal((await owner.get('/cogs/99999999999999999999')).status, 422);
  });

  it('works with a trailing slash as well', async () => {
    const { owner } = await cast();
    const docs = await folder(owner, 'Docs');
    assert.deepEqual((await owner.get(`/cogs/${docs.id}/`)).body, docs);
  });
});

describe('GET /cogs/:id/path', () => {
  it('leads from the root to the cog, past folders the caller does not see', async () => {
    const { owner, viewer } = await cast();
    const a = await folder(owner, 'a');
    const b = await folder(owner, 'b', a.id);
    const c = await folder(owner, 'c', b.id);
    await share(owner, b.id, viewer, 'viewer');
    const names = async (by: Client) =>
      (await by.get(`/cogs/${c.id}/path`)).body.map((cog: { name: string }) => cog.name);

    assert.deepEqual(await names(owner), ['My Files', 'a', 'b', 'c']);
    assert.deepEqual(await names(viewer), ['My Files', 'b', 'c']);
  });
});

describe('PATCH /cogs/:id', () => {
  it('renames, moves, or both at once', async () => {
    const { owner } = await cast();
    const [a, b] = [await folder(owner, 'a'), await folder(owner, 'b')];

    const both = await owner.patch(`/cogs/${b.id}`, { name: 'c', parent_id: a.id });
    const same = await owner.patch(`/cogs/${b.id}`, { name: 'c', parent_id: a.id });

    assert.deepEqual([both.body.name, both.body.parent_id], ['c', a.id]);
    assert.equal(same.status, 200);
    assert.ok(both.body.updated_at >= b.updated_at);
  });

  it('refuses a name that a sibling has, here and where it is moved to', async () => {
    const { owner } = await cast();
    const [a, b] = [await folder(owner, 'a'), await folder(owner, 'b')];
    const inner = await folder(owner, 'b', a.id);

    const renamed = await owner.patch(`/cogs/${b.id}`, { name: 'a' });
    const moved = await owner.patch(`/cogs/${inner.id}`, { parent_id: a.parent_id });

    assert.deepEqual([renamed.status, renamed.body.code], [409, 'name_collision']);
    assert.deepEqual([moved.status, moved.body.code], [409, 'name_collision']);
    assert.match(moved.body.detail, /named "b"/);
  });

  it('refuses a move into itself, into what is in it, into a file, and where nothing is', async () => {
    const { owner, stranger } = await cast();
    const a = await folder(owner, 'a');
    const b = await folder(owner, 'b', a.id);
    const c = await folder(owner, 'c', b.id);
    const file = (await owner.upload('f.txt', 'x', c.id)).body;
    const gone = await folder(owner, 'gone');
    await owner.delete(`/cogs/${gone.id}`);
    const foreign = await folder(stranger, 'x');
    const to = async (parent_id: number) => owner.patch(`/cogs/${a.id}`, { parent_id });

    for (const id of [a.id, b.id, c.id]) assert.equal((await to(id)).body.code, 'cycle');
    assert.equal((await to(file.id)).status, 400);
    assert.equal((await to(gone.id)).status, 404);
    assert.equal((await to(foreign.id)).status, 404);
    assert.equal((await owner.get(`/cogs/${a.id}`)).body.parent_id, a.parent_id);
  });

  it('lets racing moves never form a loop', async () => {
    const { owner } = await cast();
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await folder(owner, `a${round}`), await folder(owner, `b${round}`)];

      const answers = await Promise.all([
        owner.patch(`/cogs/${a.id}`, { parent_id: b.id }),
        owner.patch(`/cogs/${b.id}`, { parent_id: a.id }),
      ]);

      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      assert.equal((await owner.get(`/cogs/${a.id}/path`)).body[0].cog_type, 'master_folder');
    }
  });

  it('leaves the root as it is, whoever asks', async () => {
    const { owner, admin } = await cast();
    const { body: root } = await admin.get('/cogs/root');
    const docs = await folder(admin, 'Docs');
    for (const by of [owner, admin]) {
      for (const answer of [
        await by.patch(`/cogs/${root.id}`, { name: 'x' }),
        await by.patch(`/cogs/${root.id}`, { parent_id: docs.id }),
        await by.delete(`/cogs/${root.id}`),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [409, 'root_folder']);
      }
    }
  });

  it('needs the right to change the cog and to add to the target', async () => {
    const { owner, editor, viewer } = await cast();
    const [a, target] = [await folder(owner, 'a'), await folder(owner, 'target')];
    await share(owner, a.id, viewer, 'viewer', { can_upload: true });
    await share(owner, a.id, editor, 'editor');

    assert.equal((await viewer.patch(`/cogs/${a.id}`, { name: 'x' })).status, 403);
    assert.equal((await editor.patch(`/cogs/${a.id}`, { parent_id: target.id })).status, 403);
    await share(owner, target.id, editor, 'viewer', { can_upload: true });
    assert.equal((await editor.patch(`/cogs/${a.id}`, { parent_id: target.id })).status, 200);
  });

  it('keeps an owner for what is moved out of the reach of its grant', async () => {
    const { owner, editor } = await cast();
    const [mine, theirs] = [await folder(owner, 'mine'), await folder(editor, 'theirs')];
    await share(editor, theirs.id, owner, 'editor');
    await share(owner, mine.id, editor, 'editor');
    const [one, two] = [await folder(owner, 'one', mine.id), await folder(owner, 'two', mine.id)];

    const moved = await owner.patch(`/cogs/${one.id}`, { parent_id: theirs.id });
    assert.equal(moved.body.access.level, 'owner', 'the mover keeps what they owned');

    await editor.patch(`/cogs/${two.id}`, { parent_id: mine.parent_id });
    const kept = await owner.get(`/cogs/${two.id}`);
    assert.equal(kept.body.access.level, 'owner', 'nobody else would own it');
  });
});

describe('DELETE /cogs/:id', () => {
  it('hides all below, removes the grants and frees the name', async () => {
    const { owner, viewer, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const file = (await owner.upload('a.txt', 'x', docs.id)).body;
    await share(owner, docs.id, viewer, 'viewer');
    await share(owner, file.id, viewer, 'editor');

    assert.equal((await owner.delete(`/cogs/${docs.id}`)).status, 204);

    for (const by of [owner, viewer]) {
      for (const path of [
        `/cogs/${docs.id}`,
        `/cogs/${file.id}`,
        `/cogs/${file.id}/download`,
        `/cogs/?parent_id=${docs.id}`,
        `/permissions/cogs/${file.id}`,
      ]) {
        assert.equal((await by.get(path)).status, 404, path);
      }
    }
    assert.deepEqual((await viewer.get('/cogs/shared-with-me')).body, []);
    assert.deepEqual((await owner.get('/cogs/search?q=a.txt')).body, []);
    const { db } = server.services;
    const left = await db`select from permissions where cog_id = ${docs.id}`;
    assert.equal(left.length, 0);
    await folder(owner, 'Docs');
    assert.equal((await owner.delete(`/cogs/${docs.id}`)).status, 404);
  });

  it('needs the right to delete, which an editor has only when it is given', async () => {
    const { owner, editor, viewer } = await cast();
    const docs = await folder(owner, 'Docs');
    await share(owner, docs.id, editor, 'editor');
    await share(owner, docs.id, viewer, 'viewer', { can_delete: true });

    assert.equal((await editor.delete(`/cogs/${docs.id}`)).status, 403);
    assert.equal((await viewer.delete(`/cogs/${docs.id}`)).status, 204);
  });

  it('never leaves a visible child when one is made at the same time', async () => {
    const { owner } = await cast();
    for (let round = 0; round < 10; round++) {
      const docs = await folder(owner, `docs${round}`);

      const [made] = await Promise.all([
        owner.post('/cogs/', { name: 'x', cog_type: 'asset_folder', parent_id: docs.id }),
        owner.delete(`/cogs/${docs.id}`),
      ]);

      assert.ok([201, 404].includes(made.status));
      if (made.status === 201) assert.equal((await owner.get(`/cogs/${made.body.id}`)).status, 404);
    }
  });
});
