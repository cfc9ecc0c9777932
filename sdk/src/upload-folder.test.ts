import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { createClient } from './client.ts';
import { FileChanged } from './errors.ts';
import { localTree } from './local-files.ts';
import { listTree } from './tree.ts';
import { uploadFolder, uploadLocal } from './upload-folder.ts';

const places: string[] = [];
after(() => Promise.all(places.map((dir) => rm(dir, { recursive: true, force: true }))));

/** A folder on this machine with these files, and one of the service to send it to. */
async function stage(files: Record<string, string | Buffer>, request: typeof fetch = fetch) {
  const { server, owner } = await cast();
  const client = createClient({ baseUrl: server.url, token: () => owner.token, fetch: request });
  const parent_id = (await client.createFolder({ body: { name: 'To', cog_type: 'asset_folder' } }))
    .id;
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-sdk-'));
  places.push(dir);
  const path = join(dir, 'scans');
  await mkdir(path);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(path, name, '..'), { recursive: true });
    await writeFile(join(path, name), text);
  }
  const listed = async () => {
    const found: Record<string, number | undefined> = {};
    for await (const cog of listTree(client, { id: parent_id })) found[cog.path] = cog.size_bytes;
    return found;
  };
  return { server, owner, client, path, parent_id, listed };
}

describe('uploadFolder', () => {
  it('uploads a folder with all that is in it, also empty folders', async () => {
    const { client, path, parent_id, listed } = await stage({ 'a.txt': 'A', 'in/b ü.txt': 'BB' });
    await mkdir(join(path, 'in/empty/also'), { recursive: true });

    const { outcomes, folders, left } = await uploadFolder(client, { path, parent_id });

    assert.deepEqual(
      outcomes.map(({ path, error }) => [path, error]),
      [
        ['scans/a.txt', undefined],
        ['scans/in/b ü.txt', undefined],
      ],
    );
    assert.deepEqual([folders, left], [[], []]);
    assert.deepEqual(await listed(), {
      scans: undefined,
      'scans/a.txt': 1,
      'scans/in': undefined,
      'scans/in/b ü.txt': 2,
      'scans/in/empty': undefined,
      'scans/in/empty/also': undefined,
    });
    // Again, under a name of its own, and where all folders are there already.
    await uploadFolder(client, { path, parent_id, name: 'copy' });
    await uploadFolder(client, { path, parent_id, onTaken: () => 'skip' });
    assert.equal(Object.keys(await listed()).length, 12);
  });

  it('leaves out what is neither file nor folder, and says so', async () => {
    const { client, path, parent_id, listed } = await stage({ 'a.txt': 'A' });
    execFileSync('mkfifo', [join(path, 'pipe')]);
    await symlink(join(path, 'nowhere'), join(path, 'dangling'));
    await symlink(path, join(path, 'self'));

    const { left } = await uploadFolder(client, { path, parent_id });

    assert.deepEqual(left, [
      { name: 'scans/dangling', reason: 'a link to nothing', isFault: true },
      { name: 'scans/pipe', reason: 'a pipe', isFault: false },
      { name: 'scans/self', reason: 'a link to a folder', isFault: false },
    ]);
    assert.deepEqual(await listed(), { scans: undefined, 'scans/a.txt': 1 });
    await assert.rejects(localTree(join(path, 'pipe')), /is a pipe, neither a file nor a folder/);
    await assert.rejects(uploadFolder(client, { path: join(path, 'no') }), /ENOENT/);
  });

  it('goes on with large files of folders where it was', async () => {
    const bytes = randomBytes(20 * 1024 ** 2);
    const { server, owner, client, path, parent_id, listed } = await stage({
      'in/film.bin': bytes,
      'other/film.bin': bytes,
    });
    const stop = new AbortController();
    const tree = await localTree(path);
    await uploadLocal(client, tree, {
      parent_id,
      signal: stop.signal,
      onProgress: (_, sent_bytes) => {
        if (sent_bytes > 0) stop.abort();
      },
    });
    const { db } = server.services;
    const begun = await db`select id from uploads where tenant_id = ${owner.user.tenant_id}`;
    assert.equal(begun.length, 2);

    const { outcomes } = await uploadFolder(client, { path, parent_id });

    assert.deepEqual(
      outcomes.flatMap(({ error }) => error ?? []),
      [],
    );
    const { 'scans/in/film.bin': one, 'scans/other/film.bin': other } = await listed();
    assert.deepEqual([one, other], [bytes.length, bytes.length]);
    const uploads = await db`select id from uploads where tenant_id = ${owner.user.tenant_id}`;
    assert.equal(uploads.length, 2);
  });

  it('lets a file fail alone that is gone or changed meanwhile', async () => {
    const { client, path, parent_id, listed } = await stage({ a: 'A', changed: 'old', gone: 'x' });
    const tree = await localTree(path);
    await rm(join(path, 'gone'));
    const late: typeof fetch = async (input, init) => {
      // After it was opened.
      if (String(input).endsWith('/batch')) await writeFile(join(path, 'changed'), 'newer');
      return fetch(input, init);
    };
    const slow = createClient({ ...client, fetch: late });

    const { outcomes } = await uploadLocal(slow, tree, { parent_id });

    const [a, changed, gone] = outcomes;
    assert.ok(a?.cog);
    assert.ok(changed?.error instanceof FileChanged, String(changed?.error));
    assert.match(String(gone?.error), /ENOENT/);
    assert.deepEqual(await listed(), { scans: undefined, 'scans/a': 1 });
  });
});
