import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { heldUp } from '../../../../test/races.ts';
import { folder } from '../../../../test/sharing.ts';
import { confirmation, sent, type Upload } from '../../../../test/uploads.ts';
import type { Db } from '../../../db/connection.ts';

const { server, owner } = await cast();

type Row = { id: number; name: string; parent_id: number };

type Outcome = { error?: { code?: string; status: number } };

const errorsOf = (body: { results: Outcome[] }) =>
  body.results.flatMap(({ error }) => (error ? (error.code ?? error.status) : []));
const folders = async (names: readonly string[], parent?: number) => {
  const made: number[] = [];
  for (const name of names) made.push((await folder(owner, name, parent)).id);
  return made;
};
const rowsIn = async (who: Client, id: number): Promise<Row[]> =>
  (await who.get(`/cogs/?parent_id=${id}&limit=1000`)).body;
const namesIn = async (id: number) => (await rowsIn(owner, id)).map(({ name }) => name);
const numbered = (text: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${text} ${at}`);

describe('changes of many at the same time', () => {
  it('never form a loop, nor wait for each other for ever', async () => {
    for (let round = 0; round < 4; round++) {
      const [a = 0, b = 0] = await folders([`a${round}`, `b${round}`]);
      const [inA, inB] = [
        await folders(numbered('in a', 8), a),
        await folders(numbered('in b', 8), b),
      ];

      const answers = await Promise.all([
        owner.post('/cogs/move', { cog_ids: [a, ...inA.toReversed()], parent_id: inB[3] }),
        owner.post('/cogs/move', { cog_ids: [b, ...inB], parent_id: inA[3] }),
        owner.post('/cogs/move', { cog_ids: [...inB.toReversed(), ...inA], parent_id: a }),
      ]);

      for (const { status } of answers) assert.ok([200, 404].includes(status), `${status}`);
      for (const id of [a, b, ...inA, ...inB]) {
        const path = (await owner.get(`/cogs/${id}/path`)).body as Row[];
        assert.equal(path[0]?.parent_id, undefined, 'the path begins at the root');
        assert.equal(path.at(-1)?.id, id);
      }
    }
  });

  it('delete and restore in opposite orders', async () => {
    const outer = await folder(owner, 'crossing');
    const ids = await folders(numbered('crossing', 10), outer.id);
    const all = [outer.id, ...ids];

    for (let round = 0; round < 3; round++) {
      const statuses = await Promise.all([
        owner.post('/cogs/delete', { cog_ids: all }),
        owner.post('/cogs/delete', { cog_ids: all.toReversed() }),
        owner.post('/cogs/restore', { cog_ids: all }),
        owner.post('/cogs/restore', { cog_ids: all.toReversed() }),
        ...ids.map((id) => owner.patch(`/cogs/${id}`, { name: `renamed ${round} ${id}` })),
      ]);
      for (const { status } of statuses) assert.ok([200, 404].includes(status), `${status}`);
      const { body } = await owner.post('/cogs/restore', { cog_ids: all });
      assert.ok(errorsOf(body).every((code) => code === 'not_in_trash'));
      assert.equal((await rowsIn(owner, outer.id)).length, ids.length);
    }
  });

  it('leave nothing live in a deleted folder', async () => {
    const parents = await folders(numbered('doomed', 12));

    const [deleted, ...made] = await Promise.all([
      owner.post('/cogs/delete', { cog_ids: parents }),
      ...parents.map((id) => owner.upload('new', 'bytes', id)),
      ...parents.map((parent_id) =>
        owner.post('/cogs/', { name: 'sub', cog_type: 'asset_folder', parent_id }),
      ),
    ]);

    assert.deepEqual(errorsOf(deleted?.body), []);
    for (const { status, body } of made) {
      assert.ok([201, 404].includes(status), `${status}`);
      if (status === 201) assert.equal((await owner.get(`/cogs/${body.id}`)).status, 404);
    }
    await owner.post('/cogs/restore', { cog_ids: parents });
    const kept = made.filter(({ status }) => status === 201).map(({ body }) => body.id);
    for (const id of kept) assert.equal((await owner.get(`/cogs/${id}`)).status, 200);
  });

  it('give each name once, also to what is uploaded or renamed meanwhile', async () => {
    const names = numbered('one of many', 12);
    const [one = 0, two = 0, target = 0] = await folders(['left', 'right', 'middle']);
    const [left, right] = [await folders(names, one), await folders(names, two)];
    const others = await folders(numbered('other', 4), target);

    const [first, second, ...rest] = await Promise.all([
      owner.post('/cogs/move', { cog_ids: left, parent_id: target }),
      owner.post('/cogs/move', { cog_ids: right.toReversed(), parent_id: target }),
      ...names.slice(0, 4).map((name) => owner.upload(name, 'bytes', target)),
      ...others.map((id, at) => owner.patch(`/cogs/${id}`, { name: names[at + 4] })),
      owner.post('/cogs/copy', { cog_ids: right, parent_id: target, existing: 'number' }),
      owner.post('/cogs/copy', { cog_ids: left.toReversed(), parent_id: target }),
    ]);

    const codes = [...errorsOf(first?.body), ...errorsOf(second?.body)];
    assert.ok(codes.every((code) => code === 'name_collision'));
    for (const { status } of rest) assert.ok([200, 201, 409].includes(status), `${status}`);
    const taken = (await rowsIn(owner, target)).map(({ name }) => name);
    assert.equal(new Set(taken).size, taken.length);
    for (const name of names) assert.ok(taken.includes(name));
  });

  it('leave out only the one whose name is being given to another', async () => {
    const [from = 0, to = 0] = await folders(['from', 'to']);
    const [x = 0, y = 0] = await folders(['x', 'y'], from);
    const naming = (parent_id: number) => (tx: Db) =>
      tx`
        insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
        values (${owner.user.tenant_id}, ${parent_id}, 'x', 'asset_folder', ${owner.user.id})
      `;
    const cog_ids = [x, y];

    const heldUntilNamed = (id: number, late: () => ReturnType<Client['post']>) =>
      heldUp(server.services.db, naming(id), late, undefined, { keeps: true });

    const moved = await heldUntilNamed(to, () =>
      owner.post('/cogs/move', { cog_ids, parent_id: to }),
    );
    assert.deepEqual(
      moved.body.results.map(({ error }: Outcome) => error?.code),
      ['name_collision', undefined],
    );

    await owner.post('/cogs/move', { cog_ids: [y], parent_id: from });
    await owner.post('/cogs/delete', { cog_ids });
    const restored = await heldUntilNamed(from, () => owner.post('/cogs/restore', { cog_ids }));
    assert.deepEqual(
      restored.body.results.map(({ error }: Outcome) => error?.code),
      ['name_collision', undefined],
    );
  });

  it('go together with new versions of the same files', async () => {
    const [left = 0, right = 0] = await folders(['versions left', 'versions right']);
    const names = numbered('file', 12);
    const made = [];
    for (const [at, name] of names.entries())
      made.push((await owner.upload(name, 'old', at % 2 ? left : right)).body.id);
    const bytes = new TextEncoder().encode('new');
    const versionsIn = async (parent_id: number, some: string[]) => {
      if (some.length === 0) return [];
      const files = some.map((path) => ({ path, file_size: bytes.length }));
      const body = { parent_id, existing: 'version', files };
      const { uploads } = (await owner.post('/cogs/uploads/batch', body)).body;
      return Promise.all(
        uploads.map(async ({ upload }: { upload: Upload }) =>
          confirmation(upload, bytes.length, await sent(upload, bytes)),
        ),
      );
    };
    for (let round = 0; round < 4; round++) {
      const uploads = [
        ...(await versionsIn(left, await namesIn(left))),
        ...(await versionsIn(right, await namesIn(right))),
      ];
      const all = [right, ...made, left];

      const answers = await Promise.all([
        owner.post('/cogs/confirm-uploads', { uploads: uploads.toReversed() }),
        owner.post('/cogs/move', {
          cog_ids: made.toReversed(),
          parent_id: round % 2 ? left : right,
        }),
        owner.post('/cogs/delete', { cog_ids: all }),
        owner.post('/cogs/restore', { cog_ids: all.toReversed() }),
      ]);

      for (const { status, body } of answers) {
        assert.ok([200, 404].includes(status), JSON.stringify(body));
        for (const code of errorsOf({ results: body.results ?? [] }))
          assert.ok([403, 404, 'not_in_trash', 'parent_deleted'].includes(code), `${code}`);
      }
      await owner.post('/cogs/restore', { cog_ids: all });
    }
    for (const id of made) assert.equal((await owner.get(`/cogs/${id}`)).status, 200);
  });

  it('take nothing of another tenant', async () => {
    const { owner: other } = await cast(server);
    const mine = (await owner.upload('mine', 'bytes')).body.id;
    const [theirs = 0] = [(await folder(other, 'theirs')).id];

    const { body } = await other.post('/cogs/delete', { cog_ids: [mine] });
    assert.deepEqual(errorsOf(body), [404]);
    assert.equal((await owner.get(`/cogs/${mine}`)).status, 200);
    const answer = await other.post('/cogs/move', { cog_ids: [mine], parent_id: theirs });
    assert.deepEqual(errorsOf(answer.body), [404]);
    const into = await owner.post('/cogs/move', { cog_ids: [mine], parent_id: theirs });
    assert.equal(into.status, 404);
  });
});
