import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { folderOfFiles } from '../../../../test/runs.ts';
import { startServer } from '../../../../test/server.ts';
import { folder, share } from '../../../../test/sharing.ts';
import { costOf } from '../../../../test/statements.ts';
import { namesOf, readZip } from '../../../../test/zip-reader.ts';
import { usualLimits } from '../../../limits.ts';

async function download(by: Client, id: number, headers = {}, method = 'GET') {
  const response = await by.fetch(`/cogs/${id}/download`, { headers, method });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

/** `Docs` with files, folders and an empty one. */
async function docs() {
  const people = await cast();
  const { owner } = people;
  const top = await folder(owner, 'Docs');
  const sub = await folder(owner, 'sub', top.id);
  await folder(owner, 'empty', top.id);
  await owner.upload('b.txt', 'second', top.id);
  await owner.upload('a.bin', new Uint8Array([0, 255, 10, 13]), top.id);
  await owner.upload('日本 é.txt', 'in a folder', sub.id);
  await owner.upload('nothing', '', sub.id);
  return { ...people, top, sub };
}

describe('a folder as a ZIP', () => {
  it('holds every file and folder below it, by path, exactly as stored', async () => {
    const { owner, top } = await docs();

    const { status, headers, bytes } = await download(owner, top.id);

    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/zip');
    assert.equal(headers.get('content-disposition'), 'attachment; filename=Docs.zip');
    assert.equal(Number(headers.get('content-length')), bytes.length);
    const members = readZip(bytes);
    assert.deepEqual(
      members.map(({ name, bytes: content }) => [name, content.toString('latin1')]),
      [
        ['Docs/', ''],
        ['Docs/a.bin', '\0\u00ff\n\r'],
        ['Docs/b.txt', 'second'],
        ['Docs/empty/', ''],
        ['Docs/sub/', ''],
        ['Docs/sub/nothing', ''],
        ['Docs/sub/日本 é.txt', 'in a folder'],
      ],
    );
    for (const { modified } of members) assert.ok(Math.abs(modified - Date.now() / 1000) < 60);
  });

  it('has a strong tag that changes with its content, and HEAD tells the same', async () => {
    const { owner, top, sub } = await docs();
    const tagNow = async () => (await download(owner, top.id, {}, 'HEAD')).headers.get('etag');
    const { headers } = await download(owner, top.id);
    const head = await download(owner, top.id, {}, 'HEAD');
    for (const name of ['etag', 'content-length', 'content-type', 'accept-ranges']) {
      assert.equal(head.headers.get(name), headers.get(name), name);
    }
    assert.match(headers.get('etag') ?? '', /^"[0-9a-f]{64}"$/);
    const notModified = await download(owner, top.id, { 'if-none-match': headers.get('etag') });
    assert.equal(notModified.status, 304);

    const tags = [headers.get('etag')];
    const added = (await owner.upload('new', '1', sub.id)).body;
    tags.push(await tagNow());
    await owner.patch(`/cogs/${added.id}`, { name: 'renamed' });
    tags.push(await tagNow());
    const form = new FormData();
    form.set('file', new File(['2'], 'x'));
    await owner.fetch(`/cogs/${added.id}/content`, { method: 'POST', body: form });
    tags.push(await tagNow());
    assert.equal(new Set(tags).size, 4);

    await owner.delete(`/cogs/${added.id}`);
    assert.equal(await tagNow(), tags[0]);
  });

  it('resumes at any byte, and gives any range, as parts of the same whole', async () => {
    const { owner, top } = await docs();
    const { bytes, headers } = await download(owner, top.id);
    const etag = headers.get('etag') ?? '';
    const edges = readZip(bytes).flatMap(({ start, end, bytes: { length } }) => [
      ...[start, end - length, end],
    ]);
    const cuts = [...edges, bytes.length - 22, bytes.length - 1, bytes.length - 100];
    const wanted = new Set(cuts.flatMap((cut) => [cut - 1, cut, cut + 1, cut + 20]));
    for (const start of wanted) {
      if (start < 0 || start >= bytes.length) continue;
      for (const end of [start, start + 40, bytes.length - 1]) {
        const range = `bytes=${start}-${end}`;
        const part = await download(owner, top.id, { range, 'if-range': etag });
        assert.equal(part.status, 206, range);
        const expected = bytes.subarray(start, end + 1);
        assert.ok(part.bytes.equals(expected), range);
        assert.equal(
          part.headers.get('content-range'),
          `bytes ${start}-${start + expected.length - 1}/${bytes.length}`,
        );
      }
    }
    const behind = await download(owner, top.id, { range: `bytes=${bytes.length}-` });
    assert.equal(behind.status, 416);
    const other = await download(owner, top.id, { range: 'bytes=5-', 'if-range': '"other"' });
    assert.ok(other.status === 200 && other.bytes.equals(bytes));
  });

  it('leaves out what the caller may not see, and tells how much that is, but no name', async () => {
    const { owner, viewer, top, sub } = await docs();
    const secret = await folder(owner, 'secret', sub.id);
    const inside = (await owner.upload('deep.txt', 'shared', secret.id)).body;
    await owner.upload('hidden.txt', 'hidden', secret.id);
    const { id: root } = (await viewer.get('/cogs/root')).body;
    await share(owner, inside.id, viewer, 'viewer');

    const zip = readZip((await download(viewer, root)).bytes);

    const shown = zip.filter(({ name }) => name !== '_omitted.txt').map(({ name }) => name);
    const rootName = shown[0] ?? '';
    assert.deepEqual(shown, [rootName, `${rootName}deep.txt`]);
    const told = zip.find(({ name }) => name === '_omitted.txt')?.bytes.toString() ?? '';
    assert.match(told, /^9 items were left out/);
    assert.doesNotMatch(told, /secret|hidden|Docs/);
    assert.equal((await download(viewer, top.id)).status, 403);

    await share(owner, top.id, viewer, 'viewer');
    const whole = namesOf((await download(viewer, top.id)).bytes);
    assert.ok(whole.includes('Docs/sub/secret/hidden.txt'));
    assert.ok(!whole.includes('_omitted.txt'));
  });

  it("has nothing of what is deleted, nor of another tenant's", async () => {
    const { owner, stranger, top, sub } = await docs();
    await owner.delete(`/cogs/${sub.id}`);

    const names = namesOf((await download(owner, top.id)).bytes);

    assert.deepEqual(names, ['Docs/', 'Docs/a.bin', 'Docs/b.txt', 'Docs/empty/']);
    assert.equal((await download(stranger, top.id)).status, 404);
    await owner.delete(`/cogs/${top.id}`);
    assert.equal((await download(owner, top.id)).status, 404);
  });

  it('has names that lead nowhere else, and differ on every system', async () => {
    const { owner } = await cast();
    const top = await folder(owner, 'C:');
    const stored = ['..\\..\\evil', 'D:evil', '.. ', '...', 'same.txt', 'SAME.TXT', 'Same.txt'];
    for (const name of stored) await owner.upload(name, name, top.id);
    const [upper, lower] = [await folder(owner, 'DIR', top.id), await folder(owner, 'dir', top.id)];
    await owner.upload('x', 'upper', upper.id);
    await owner.upload('x', 'lower', lower.id);

    const members = readZip((await download(owner, top.id)).bytes);

    const names = members.map(({ name }) => name);
    assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
    for (const name of names) {
      assert.doesNotMatch(name, /\\|^\/|(^|\/)[a-z]:|(^|\/)\.[. ]+(\/|$)/i);
    }
    const contentOf = (name: string) =>
      members.find((member) => member.name === `C_/${name}`)?.bytes.toString();
    assert.equal(contentOf('SAME.TXT'), 'SAME.TXT');
    assert.equal(contentOf('Same (2).txt'), 'Same.txt');
    assert.equal(contentOf('same (3).txt'), 'same.txt');
    assert.equal(contentOf('DIR/x'), 'upper');
    assert.equal(contentOf('dir (2)/x'), 'lower');
  });

  it('costs five trips to the database, whatever its depth', async () => {
    const { owner, top, sub, server } = await docs();
    let below = sub;
    for (let depth = 0; depth < 20; depth += 1) below = await folder(owner, 'deeper', below.id);
    await owner.upload('lowest', 'x', below.id);

    const { round_trips, texts } = await costOf(server, () => download(owner, top.id));

    // The right to see it; what was chosen, what is below, the end; and where the bytes are.
    assert.ok(round_trips <= 5, texts.join('\n'));
  });

  it('may have more members than are read at a time', async () => {
    const { owner, server } = await cast();
    const many = await folderOfFiles(server, owner, 4500);
    const { bytes } = await download(owner, many);
    const members = readZip(bytes);
    assert.equal(members.length, 4501);
    assert.equal(members.at(-1)?.name, '4500 files/004500.txt');
    const tail = await download(owner, many, { range: `bytes=${bytes.length - 10_000}-` });
    assert.ok(tail.bytes.equals(bytes.subarray(-10_000)));
  });

  it('lets go of clients that leave in the middle', async () => {
    const zips = { ...usualLimits.zips, members_per_tenant: 5 };
    const server = await startServer({}, undefined, { limits: { zips } });
    const { owner } = await cast(server);
    const top = await folder(owner, 'top');
    for (const name of ['1', '2', '3'])
      await owner.upload(name, new Uint8Array(20_000_000), top.id);
    for (let round = 0; round < 5; round += 1) {
      const leaving = new AbortController();
      for (;;) {
        const { signal } = leaving;
        const answer = await owner.fetch(`/cogs/${top.id}/download`, { signal });
        const reader = answer.body?.getReader();
        await reader?.read();
        // The one before may not have been noticed yet.
        if (answer.status === 429) continue;
        assert.equal(answer.status, 200);
        leaving.abort();
        break;
      }
    }
  });

  it('waits for its turn while another of the user is laid out, and gives it back', async () => {
    const { turns, ...zips } = usualLimits.zips;
    const limits = { zips: { ...zips, turns: { ...turns, waiting_per_user: 1 } } };
    const server = await startServer({}, undefined, { limits });
    const { owner } = await cast(server);
    const many = await folderOfFiles(server, owner, 5000);

    const answers = await Promise.all(
      Array.from({ length: 30 }, () => download(owner, many, {}, 'HEAD')),
    );

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 429]));
    assert.equal((await download(owner, many, {}, 'HEAD')).status, 200);
  });

  it('is refused if there is too much in it, and while too much is being sent', async () => {
    const zips = { ...usualLimits.zips, members: 5, members_per_tenant: 4 };
    const server = await startServer({}, undefined, { limits: { zips } });
    const { owner } = await cast(server);
    const top = await folder(owner, 'top');
    const statusOf = async () => {
      const { status, bytes } = await download(owner, top.id);
      return [status, status === 200 ? '' : JSON.parse(bytes.toString()).code];
    };
    for (const [name, status, code] of [
      ['1', 200, ''],
      ['2', 200, ''],
      ['3', 200, ''],
      ['4', 429, 'too_many_at_once'],
      ['5', 400, 'too_many_members'],
    ]) {
      await owner.upload(name as string, 'x', top.id);
      assert.deepEqual(await statusOf(), [status, code]);
    }
  });
});
