import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { createClient } from './client.ts';
import { allRows } from './pages.ts';
import { type ManyFile, type ManyOutcome, uploadMany } from './upload-many.ts';

async function owned() {
  const { server, owner } = await cast();
  const client = createClient({ baseUrl: server.url, token: () => owner.token });
  const folder = await client.createFolder({ body: { name: 'Docs', cog_type: 'asset_folder' } });
  return { server, client, parent_id: folder.id };
}

const files = (texts: Record<string, string>): ManyFile[] =>
  Object.entries(texts).map(([path, text]) => ({ path, bytes: new Blob([text]) }));

/** What is below a folder: the texts of files, by path. */
async function below(
  client: ReturnType<typeof createClient>,
  parent_id: number,
  path = '',
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const cog of allRows(client, 'listCogs', { query: { parent_id, sort: 'name' } })) {
    if (cog.cog_type === 'file') {
      const content = await client.downloadCog({ path: { id: cog.id } });
      found[path + cog.name] = await content.text();
    } else Object.assign(found, await below(client, cog.id, `${path}${cog.name}/`));
  }
  return found;
}

const codeOf = ({ error }: ManyOutcome) => (error as { code?: string } | undefined)?.code;

describe('uploadMany', () => {
  it('uploads a folder of files, and tells the outcome of each', async () => {
    const { client, parent_id } = await owned();
    const texts = { 'a.txt': 'A', 'in/b.txt': 'B', 'in/deeper/c.txt': '' };
    const ended: string[] = [];
    const sent: number[] = [];

    const outcomes = await uploadMany(client, {
      parent_id,
      files: files(texts).map((file) => ({
        ...file,
        onProgress: (sent_bytes) => sent.push(sent_bytes),
        onEnded: ({ path, cog }) => ended.push(`${path} ${cog?.size_bytes}`),
      })),
    });

    assert.deepEqual(await below(client, parent_id), texts);
    assert.deepEqual(
      outcomes.map(({ path, cog }) => [path, cog?.name]),
      [
        ['a.txt', 'a.txt'],
        ['in/b.txt', 'b.txt'],
        ['in/deeper/c.txt', 'c.txt'],
      ],
    );
    assert.deepEqual(ended.sort(), ['a.txt 1', 'in/b.txt 1', 'in/deeper/c.txt 0']);
    assert.ok(sent.includes(1));
  });

  it('sends hundreds of small files with few requests for uploads', async (t) => {
    const { client, parent_id } = await owned();
    const { fetch } = globalThis;
    let requests = 0;
    t.mock.method(globalThis, 'fetch', (input: string, init?: RequestInit) => {
      if (init?.method === 'POST') requests += 1;
      return fetch(input, init);
    });
    const many = Array.from({ length: 600 }, (_, at) => [`${at % 7}/file ${at}`, `${at}`] as const);

    const outcomes = await uploadMany(client, {
      parent_id,
      files: files(Object.fromEntries(many)),
    });

    assert.deepEqual(
      outcomes.flatMap(({ error }) => error ?? []),
      [],
    );
    assert.ok(requests < 30, `${requests} requests`);
  });

  it('opens files one after the other, and lets one fail that cannot be opened', async () => {
    const { client, parent_id } = await owned();
    let [opening, most] = [0, 0];
    const open = (text: string) => async () => {
      opening += 1;
      most = Math.max(most, opening);
      await new Promise(setImmediate);
      opening -= 1;
      if (text === 'b') throw new Error('It cannot be read.');
      return new Blob([text]);
    };
    const texts = ['a', 'b', 'c'].map((path) => ({ path, bytes: open(path) }));

    const outcomes = await uploadMany(client, { parent_id, files: texts });

    assert.equal(most, 1);
    assert.equal(String(outcomes[1]?.error), 'Error: It cannot be read.');
    assert.deepEqual(await below(client, parent_id), { a: 'a', c: 'c' });
  });

  it('lets files fail by themselves', async () => {
    const { client, parent_id } = await owned();
    await uploadMany(client, { parent_id, files: files({ taken: 'old' }) });

    const outcomes = await uploadMany(client, {
      parent_id,
      files: files({ taken: 'new', 'bad/../name': '', good: 'good' }),
    });

    assert.equal(codeOf(outcomes[0] ?? { path: '' }), 'name_collision');
    assert.match(String(outcomes[1]?.error), /path/);
    assert.equal(outcomes[2]?.cog?.name, 'good');
    assert.deepEqual(await below(client, parent_id), { good: 'good', taken: 'old' });
    assert.deepEqual(await client.listUploads(), []);
  });

  it('asks once what to do with all taken names', async () => {
    const { client, parent_id } = await owned();
    const old = { 'a.txt': 'old', 'in/b.txt': 'old', 'in/b (2).txt': 'older' };
    await uploadMany(client, { parent_id, files: files(old) });
    const again = files({ 'a.txt': 'new', 'in/b.txt': 'new', 'c.txt': 'C' });
    const asked: string[][] = [];
    const withDecision = (decision: 'skip' | 'keep both' | 'replace') =>
      uploadMany(client, {
        ...{ parent_id, files: again },
        onTaken: (paths) => {
          asked.push(paths);
          return decision;
        },
      });

    const skipped = await withDecision('skip');
    assert.deepEqual(
      skipped.map(({ cog, isSkipped }) => cog?.name ?? isSkipped),
      [true, true, 'c.txt'],
    );
    assert.deepEqual(asked, [['a.txt', 'in/b.txt']]);
    assert.deepEqual(await below(client, parent_id), { ...old, 'c.txt': 'C' });

    const replaced = await withDecision('replace');
    assert.deepEqual(
      replaced.map(({ cog }) => [cog?.name, cog?.version]),
      [
        ['a.txt', 2],
        ['b.txt', 2],
        ['c.txt', 2],
      ],
    );
    const kept = await withDecision('keep both');
    assert.deepEqual(
      kept.map(({ cog }) => cog?.name),
      ['a (2).txt', 'b (3).txt', 'c (2).txt'],
    );
    const all = { 'a.txt': 'new', 'in/b.txt': 'new', 'in/b (2).txt': 'older', 'c.txt': 'C' };
    const both = { 'a (2).txt': 'new', 'in/b (3).txt': 'new', 'c (2).txt': 'C' };
    assert.deepEqual(await below(client, parent_id), { ...all, ...both });
  });

  it('stops one file, or all, and leaves nothing of them', async (t) => {
    const { client, parent_id } = await owned();
    const { fetch } = globalThis;
    const removals: number[] = [];
    t.mock.method(globalThis, 'fetch', (input: string, init?: RequestInit) => {
      if (input.endsWith('/cogs/uploads/abort')) {
        removals.push(JSON.parse(String(init?.body)).upload_ids.length);
      }
      return fetch(input, init);
    });
    const one = new AbortController();
    one.abort(new Error('not this one'));
    const two = files({ a: 'A', b: 'B' });
    const outcomes = await uploadMany(client, {
      parent_id,
      files: two.map((file, at) => (at === 0 ? { ...file, signal: one.signal } : file)),
    });
    assert.match(String(outcomes[0]?.error), /not this one/);
    assert.deepEqual(await below(client, parent_id), { b: 'B' });

    const all = new AbortController();
    const stopped = await uploadMany(client, {
      ...{ parent_id, signal: all.signal },
      files: files({ c: 'C', d: 'D' }).map((file) => ({
        ...file,
        onBegun: () => all.abort(new Error('stop')),
      })),
    });
    assert.deepEqual(
      stopped.map(({ error }) => String(error)),
      ['Error: stop', 'Error: stop'],
    );
    assert.deepEqual(await client.listUploads(), []);
    assert.deepEqual(await below(client, parent_id), { b: 'B' });
    assert.deepEqual(removals, [2]);
  });
});
