import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { folder, share } from '../../../../test/sharing.ts';
import { statementsOf } from '../../../../test/statements.ts';
import { confirmation, sent, type Upload } from '../../../../test/uploads.ts';

const { server, owner, editor, viewer } = await cast();

const announce = (by: Client, paths: readonly string[], parent_id: number, existing?: string) =>
  by.post('/cogs/uploads/batch', {
    ...{ parent_id, files: paths.map((path) => ({ path, file_size: 3 })) },
    ...(existing && { existing }),
  });

/** Sends the same text for all of them. @returns what confirms them. */
const send = (uploads: readonly { upload: Upload }[], text = 'new') => {
  const bytes = new TextEncoder().encode(text);
  return Promise.all(
    uploads.map(async ({ upload }) =>
      confirmation(upload, bytes.length, await sent(upload, bytes)),
    ),
  );
};
const codesOf = (rows: { error?: { status: number; code?: string } }[]) =>
  rows.map(({ error }) => error && (error.code ?? error.status));
const textOf = async (by: Client, id: number) => (await by.fetch(`/cogs/${id}/download`)).text();

describe('many files that replace others', () => {
  it('become new versions of files that have their names, and new files otherwise', async () => {
    const place = await folder(owner, 'place');
    const inner = await folder(owner, 'inner', place.id);
    const a = (await owner.upload('a', 'old', place.id)).body.id;
    const b = (await owner.upload('b', 'old', inner.id)).body.id;
    const paths = ['a', 'new', 'inner/b', 'inner', 'a'];

    const { status, body } = await announce(owner, paths, place.id, 'version');

    assert.equal(status, 201);
    assert.deepEqual(
      body.uploads.map(({ cog_id }: { cog_id?: number }) => cog_id),
      [a, undefined, b, undefined, undefined],
    );
    assert.deepEqual(codesOf(body.uploads), [
      ...[undefined, undefined, undefined, 'name_collision', 'name_collision'],
    ]);
    const uploads = await send(body.uploads.slice(0, 3));
    const { results } = (await owner.post('/cogs/confirm-uploads', { uploads })).body;
    assert.deepEqual(
      results.map(({ cog }: { cog: { name: string; version: number } }) => [cog.name, cog.version]),
      [
        ['a', 2],
        ['new', 1],
        ['b', 2],
      ],
    );
    assert.deepEqual([await textOf(owner, a), await textOf(owner, b)], ['new', 'new']);
    const refused = await announce(owner, ['a'], place.id, 'refuse');
    assert.deepEqual(codesOf(refused.body.uploads), ['name_collision']);
  });

  it('are the next version each, if several are for one file', async () => {
    const place = await folder(owner, 'twice');
    const { id } = (await owner.upload('a', 'old', place.id)).body;
    const uploads = [];
    for (const text of ['one', 'two']) {
      const { body } = await announce(owner, ['a'], place.id, 'version');
      uploads.push(...(await send(body.uploads, text)));
    }

    const { results } = (await owner.post('/cogs/confirm-uploads', { uploads })).body;

    assert.deepEqual(
      results.map(({ cog }: { cog: { version: number } }) => cog.version).sort(),
      [2, 3],
    );
    assert.equal((await owner.get(`/cogs/${id}/versions`)).body.length, 3);
  });

  it('need the right to change each file that they replace', async () => {
    const shared = await folder(owner, 'shared');
    await share(owner, shared.id, viewer, 'viewer', { can_upload: true });
    await share(owner, shared.id, editor, 'editor');
    const kept = (await owner.upload('kept', 'old', shared.id)).body.id;
    await owner.upload('free', 'old', shared.id);
    await share(owner, kept, editor, 'viewer');
    const ask = async (who: Client) =>
      codesOf((await announce(who, ['kept', 'free', 'new'], shared.id, 'version')).body.uploads);

    assert.deepEqual(await ask(viewer), [403, 403, undefined]);
    assert.deepEqual(await ask(editor), [403, undefined, undefined]);
  });

  it('need no upload where the content is there already, if only changes are wanted', async () => {
    const place = await folder(owner, 'compared');
    await share(owner, place.id, viewer, 'viewer', { can_upload: true });
    const ids: Record<string, number> = {};
    for (const name of ['same', 'longer', 'other', 'unknown']) {
      ids[name] = (await owner.upload(name, name === 'longer' ? 'newer' : 'new', place.id)).body.id;
    }
    await folder(owner, 'taken', place.id);
    const sum = createHash('sha256').update('new').digest('hex');
    const files = [
      { path: 'same', file_size: 3, checksum_sha256: sum.toUpperCase() },
      { path: 'longer', file_size: 3, checksum_sha256: sum },
      { path: 'other', file_size: 3, checksum_sha256: '0'.repeat(64) },
      { path: 'unknown', file_size: 3 },
      { path: 'taken', file_size: 3, checksum_sha256: sum },
      { path: 'added', file_size: 3, checksum_sha256: sum },
    ];
    const ask = async (by: Client) => {
      const order = { parent_id: place.id, existing: 'changed', files };
      return (await by.post('/cogs/uploads/batch', order)).body.uploads;
    };

    const [same, longer, other, unknown, taken, added] = await ask(owner);

    assert.deepEqual(same, { path: 'same', cog_id: ids.same, is_unchanged: true });
    for (const one of [longer, other, unknown]) {
      assert.equal(one.cog_id, ids[one.path]);
      assert.ok(one.upload.upload_id);
    }
    assert.deepEqual(codesOf([taken]), ['name_collision']);
    assert.equal(added.cog_id, undefined);
    // Seeing is enough where there is nothing to change.
    const seen = await ask(viewer);
    assert.deepEqual(seen[0], same);
    assert.deepEqual(codesOf(seen.slice(1, 4)), [403, 403, 403]);
  });

  it('replace only the content that was seen, each by an if_match of its own', async () => {
    const place = await folder(owner, 'seen');
    const [a, b] = [
      (await owner.upload('a', 'old', place.id)).body,
      (await owner.upload('b', 'old', place.id)).body,
    ];
    const { body } = await announce(owner, ['a', 'b'], place.id, 'version');
    const [one, two] = await send(body.uploads);
    const uploads = [
      { ...one, if_match: `"${a.checksum_sha256}"` },
      { ...two, if_match: '"another"' },
    ];

    const { results } = (await owner.post('/cogs/confirm-uploads', { uploads })).body;

    assert.deepEqual(codesOf(results), [undefined, 412]);
    assert.deepEqual([await textOf(owner, a.id), await textOf(owner, b.id)], ['new', 'old']);
  });

  it('are announced and confirmed in fewer statements than files', async () => {
    const place = await folder(owner, 'many');
    const paths = Array.from({ length: 200 }, (_, at) => `file ${at}`);
    for (const path of paths) await owner.upload(path, 'old', place.id);

    let uploads: { upload: Upload }[] = [];
    const announcing = await statementsOf(server, async () => {
      uploads = (await announce(owner, paths, place.id, 'version')).body.uploads;
    });
    assert.ok(announcing.statements <= 16, `${announcing.statements} statements`);
    const confirmations = await send(uploads);
    let results: { cog?: { version: number } }[] = [];
    const confirming = await statementsOf(server, async () => {
      const answer = await owner.post('/cogs/confirm-uploads', { uploads: confirmations });
      results = answer.body.results;
    });
    assert.ok(results.every(({ cog }) => cog?.version === 2));
    assert.ok(confirming.statements <= 100, `${confirming.statements} statements`);
  });
});
