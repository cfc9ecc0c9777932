import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../test/cast.ts';
import { davClient } from '../../../test/dav.ts';
import { folder, share } from '../../../test/sharing.ts';
import { bytesFor, chunk, confirm, initiated, sent } from '../../../test/uploads.ts';

/** Things that get the name `x` in a folder; each way once in every round. */
async function waysTo(owner: Client, dav: Awaited<ReturnType<typeof davClient>>, round: number) {
  const home = await folder(owner, `round ${round}`);
  const elsewhere = await folder(owner, `elsewhere ${round}`);
  const source = await folder(owner, 'x', elsewhere.id);
  const sibling = await folder(owner, 'sibling', home.id);
  const trashed = await folder(owner, 'x', home.id);
  await owner.delete(`/cogs/${trashed.id}`);
  const [bytes, large] = [bytesFor(0, 9), bytesFor(1, 9)];
  const place = { name: 'x', parent_id: home.id };
  const small = await initiated(owner, bytes, place);
  const inParts = await initiated(owner, large, place);
  const [smallParts, largeParts] = [await sent(small, bytes), await sent(inParts, large)];
  const result = await folder(owner, 'x', (await folder(owner, 'more', elsewhere.id)).id);
  const copied = await folder(owner, 'x', (await folder(owner, 'yet more', elsewhere.id)).id);
  const [here, there] = [`/round%20${round}/x`, `/elsewhere%20${round}/x`];
  const unlessThere = { headers: { destination: `/dav${here}`, overwrite: 'F' } };
  await folder(owner, 'dav', elsewhere.id);

  return {
    'a new folder': () => owner.post('/cogs/', { ...place, cog_type: 'asset_folder' }),
    'an upload': () => owner.upload('x', 'bytes', home.id),
    'a new name': () => owner.patch(`/cogs/${sibling.id}`, { name: 'x' }),
    'a move': () => owner.patch(`/cogs/${source.id}`, { parent_id: home.id }),
    'a move of a selection': () =>
      owner.post('/cogs/move', { cog_ids: [result.id], parent_id: home.id }),
    'a copy': () => owner.post(`/cogs/${elsewhere.id}/copy`, place),
    'a copy of a selection': () =>
      owner.post('/cogs/copy', { cog_ids: [copied.id], parent_id: home.id }),
    'a restoration': () => owner.post(`/cogs/${trashed.id}/restore`),
    'a confirmation': () => confirm(owner, small, bytes.length, smallParts),
    'a confirmation of parts': () => confirm(owner, inParts, large.length, largeParts),
    'PUT by WebDAV': () =>
      dav('PUT', here, { headers: { 'if-none-match': '*' }, body: 'bytes by WebDAV' }),
    'MKCOL by WebDAV': () => dav('MKCOL', here),
    'COPY by WebDAV': () => dav('COPY', there, unlessThere),
    'MOVE by WebDAV': () => dav('MOVE', `/elsewhere%20${round}/dav`, unlessThere),
  };
}

describe('a name', () => {
  it('is given to one of all who want it, by whatever way', async () => {
    const { owner, server } = await cast();
    const dav = await davClient(server, owner);
    const winners = new Set<string>();
    for (let round = 0; round < 6; round += 1) {
      // Whoever has won stays out, because some are always faster than others.
      const ways = Object.entries(await waysTo(owner, dav, round)).filter(
        ([way]) => !winners.has(way),
      );

      const answers = await Promise.all(
        ways.map(async ([way, take]) => {
          const answer = await take();
          const [one] = 'body' in answer ? (answer.body.results ?? []) : [];
          return { way, status: one?.error ? 409 : answer.status };
        }),
      );

      const told = JSON.stringify(answers);
      const won = answers.filter(({ status }) => status < 300);
      assert.equal(won.length, 1, told);
      for (const { status } of answers)
        assert.ok(status < 300 || [405, 409, 412].includes(status), told);
      winners.add(won[0]?.way ?? '');
      const { body: home } = await owner.get(`/cogs/?name=round%20${round}`);
      const { body: named } = await owner.get(`/cogs/?parent_id=${home[0].id}&name=x`);
      assert.equal(named.length, 1, told);
    }
  });
});

describe('rights that are given and taken while somebody reads', () => {
  it('count for each answer as a whole, and for all that are asked for later', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');
    const names = ['a', 'b', 'c'];
    const [file] = await Promise.all(names.map((name) => owner.upload(name, name, docs.id)));
    const paths = [
      `/cogs/?parent_id=${docs.id}&with_total=true`,
      `/cogs/${file?.body.id}`,
      `/cogs/${file?.body.id}/path`,
      `/cogs/${file?.body.id}/download`,
      `/cogs/search?q=a&under=${docs.id}`,
    ];
    let isOver = false;
    const statuses = new Set<number>();
    const reading = paths.map(async (path) => {
      while (!isOver) {
        const { status, body } = await viewer.get(path);
        statuses.add(status);
        assert.ok([200, 403].includes(status), `${path}: ${status}`);
        if (status === 200 && path.includes('parent_id')) assert.equal(body.length, names.length);
        if (status === 200 && path.endsWith('path')) assert.deepEqual(body.at(-1).name, 'a');
      }
    });

    for (let round = 0; round < 15; round += 1) {
      const { body: grant } = await share(owner, docs.id, viewer, 'viewer');
      for (const path of paths) assert.equal((await viewer.get(path)).status, 200, path);
      await owner.delete(`/permissions/${grant.permission_id}`);
      for (const path of paths) assert.equal((await viewer.get(path)).status, 403, path);
    }
    isOver = true;
    await Promise.all(reading);
    assert.deepEqual(statuses, new Set([200, 403]));
  });

  it('do not cut off a download that has begun', async () => {
    const { owner, viewer } = await cast();
    const bytes = bytesFor(4, 1);
    const { body: file } = await owner.upload('large', bytes);
    const { body: grant } = await share(owner, file.id, viewer, 'viewer');
    const begun = await viewer.fetch(`/cogs/${file.id}/download`);
    const reader = begun.body?.getReader();
    let length = (await reader?.read())?.value?.length ?? 0;

    assert.equal((await owner.delete(`/permissions/${grant.permission_id}`)).status, 204);

    assert.equal((await viewer.get(`/cogs/${file.id}/download`)).status, 403);
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      length += next.value.length;
    }
    assert.equal(length, 4 * chunk + 1);
  });
});
