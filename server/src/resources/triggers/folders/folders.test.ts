import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Client } from '../../../../test/cast.ts';
import { folderOfFiles, look, type Stage, stage, versionOf } from '../../../../test/runs.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { mappedGraph, registerNode } from '../../../../test/workflows.ts';
import { openGraphThreads } from '../../workflows/graph-bodies.ts';
import { placeArrivals } from './arriving.ts';
import { fireFolders } from './firing.ts';

const threads = openGraphThreads();
after(() => threads.close());

/** As an engine does each second, for files that have waited long enough. */
async function duty(server: TestServer) {
  await place(server);
  await fireFolders({ ...server.services, threads });
}

async function place({ services }: TestServer) {
  for (let placed = 1; placed > 0; ) placed = await placeArrivals(services.db, 100);
}

type Watch = { id: number; folder: number };

const newFolder = async (client: Client, name: string, parent_id?: number): Promise<number> =>
  (await client.post('/cogs', { name, cog_type: 'asset_folder', parent_id })).body.id;

async function watched(
  { owner }: Stage,
  given: Record<string, unknown> = {},
  by: Client = owner,
): Promise<Watch> {
  const version = await versionOf(by, mappedGraph(await registerNode(by)));
  const folder = await newFolder(by, `Inbox ${version}`);
  const { status, body } = await by.post('/workflows/triggers', {
    name: 'New scans',
    type: 'folder',
    workflow_version_id: version,
    folder_id: folder,
    debounce_seconds: 0,
    ...given,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.id, folder };
}

const put = async (client: Client, name: string, folder: number, type?: string): Promise<number> =>
  (await client.upload(name, `bytes of ${name}`, folder, type)).body.id;

/** The files that each run of the trigger began with, oldest run first. */
async function runFiles(client: Client, { id }: Watch): Promise<string[][]> {
  const { body } = await client.get(`/workflows/workflow-runs?trigger_id=${id}`);
  const runs = body.map((run: { id: number }) => run.id).toSorted((a: number, b: number) => a - b);
  return Promise.all(
    runs.map(async (run: number) =>
      (await look(client, run)).run_files.map(({ name }: { name: string }) => name).toSorted(),
    ),
  );
}

describe('new files in a folder', () => {
  it('start one run over all that came together', async () => {
    const people = await stage();
    const { owner, server } = people;
    const watch = await watched(people);
    await put(owner, 'a.txt', watch.folder);
    await put(owner, 'b.txt', watch.folder);
    await duty(server);
    await duty(server);
    assert.deepEqual(await runFiles(owner, watch), [['a.txt', 'b.txt']]);
    await put(owner, 'c.txt', watch.folder);
    await duty(server);
    assert.deepEqual(await runFiles(owner, watch), [['a.txt', 'b.txt'], ['c.txt']]);
    const [firing] = (await owner.get(`/workflows/triggers/${watch.id}/firings`)).body;
    assert.deepEqual([firing.source, firing.state], ['files', 'fired']);
  });

  it('wait until no more have come for a while, but not for ever', async () => {
    const people = await stage();
    const { owner, server } = people;
    const watch = await watched(people, { debounce_seconds: 60 });
    const age = (seconds: number) => server.services.db`
      update trigger_files set arrived_at = arrived_at - ${seconds} * interval '1 second'
      where trigger_id = ${watch.id}
    `;
    await put(owner, 'a.txt', watch.folder);
    await duty(server);
    await age(59);
    await put(owner, 'b.txt', watch.folder);
    await duty(server);
    assert.deepEqual(await runFiles(owner, watch), []);
    await age(541);
    await put(owner, 'c.txt', watch.folder);
    await duty(server);
    assert.deepEqual(await runFiles(owner, watch), [['a.txt', 'b.txt', 'c.txt']]);
  });

  it('count whichever way they come', async () => {
    const people = await stage();
    const { owner, server } = people;
    const watch = await watched(people);
    const seen = async () => {
      await duty(server);
      return (await runFiles(owner, watch)).at(-1);
    };
    const elsewhere = await newFolder(owner, 'Elsewhere');
    const moved = await put(owner, 'moved.txt', elsewhere);
    const copied = await put(owner, 'copied.txt', elsewhere);
    await owner.patch(`/cogs/${moved}`, { parent_id: watch.folder });
    assert.deepEqual(await seen(), ['moved.txt']);
    await owner.post(`/cogs/${copied}/copy`, { parent_id: watch.folder });
    assert.deepEqual(await seen(), ['copied.txt']);
    const form = new FormData();
    form.append('file', new Blob(['second bytes']), 'moved.txt');
    await owner.fetch(`/cogs/${moved}/content`, { method: 'POST', body: form });
    assert.deepEqual(await seen(), ['moved.txt']);

    const tree = await newFolder(owner, 'Tree', elsewhere);
    const deep = await newFolder(owner, 'Deep', tree);
    await put(owner, 'one.txt', tree);
    await put(owner, 'two.txt', deep);
    await owner.patch(`/cogs/${tree}`, { parent_id: watch.folder });
    assert.deepEqual(await seen(), ['one.txt', 'two.txt']);
    const deleted = await put(owner, 'deleted.txt', watch.folder);
    await owner.delete(`/cogs/${deleted}`);
    const count = (await runFiles(owner, watch)).length;
    await seen();
    assert.equal((await runFiles(owner, watch)).length, count);
    await owner.post(`/cogs/${deleted}/restore`, {});
    assert.deepEqual(await seen(), ['deleted.txt']);
  });

  it('start nothing a second time when they are moved away and back, or renamed', async () => {
    const people = await stage();
    const { owner, server } = people;
    const watch = await watched(people);
    const file = await put(owner, 'a.txt', watch.folder);
    await duty(server);
    const elsewhere = await newFolder(owner, 'Elsewhere');
    await owner.patch(`/cogs/${file}`, { parent_id: elsewhere });
    await owner.patch(`/cogs/${file}`, { parent_id: watch.folder });
    await owner.patch(`/cogs/${file}`, { name: 'b.txt' });
    await owner.delete(`/cogs/${file}`);
    await owner.post(`/cogs/${file}/restore`, {});
    await duty(server);
    assert.equal((await runFiles(owner, watch)).length, 1);
  });

  it('count below only if the trigger says so, and by their media type', async () => {
    const people = await stage();
    const { owner, server } = people;
    const flat = await watched(people, { recursive: false, media_types: ['image/*'] });
    const below = await newFolder(owner, 'Below', flat.folder);
    await put(owner, 'deep.png', below, 'image/png');
    await put(owner, 'text.txt', flat.folder, 'text/plain');
    await put(owner, 'top.png', flat.folder, 'image/png');
    await duty(server);
    assert.deepEqual(await runFiles(owner, flat), [['top.png']]);
    await owner.patch(`/workflows/triggers/${flat.id}`, { recursive: true, media_types: [] });
    await put(owner, 'deep.txt', below, 'text/plain');
    await duty(server);
    assert.deepEqual((await runFiles(owner, flat)).at(-1), ['deep.txt']);
  });

  it('wait while the user of the trigger may not see the folder', async () => {
    const people = await stage();
    const { owner, editor, server } = people;
    const folder = await newFolder(owner, 'Shared');
    const at = `/permissions/cogs/${folder}`;
    const share = { target_type: 'cog', target_id: folder, user_id: editor.user.id };
    const grant = (await owner.post(at, { ...share, level: 'editor' })).body.permission_id;
    const watch = await watched(people, { folder_id: folder }, editor);
    await owner.delete(`/permissions/${grant}`);
    await put(owner, 'a.txt', folder);
    await duty(server);
    const [firing] = (await editor.get(`/workflows/triggers/${watch.id}/firings`)).body;
    assert.equal(firing.state, 'refused');
    await owner.post(at, { ...share, level: 'viewer' });
    await server.services.db`update triggers set retry_at = now() where id = ${watch.id}`;
    await duty(server);
    assert.deepEqual(await runFiles(editor, watch), [['a.txt']]);
  });

  it('start one run each with any number of engines at once', async () => {
    const people = await stage();
    const { owner, server } = people;
    const others = await Promise.all([
      startServer({}, undefined, { beside: server }),
      startServer({}, undefined, { beside: server }),
    ]);
    const watch = await watched(people);
    const names = Array.from({ length: 20 }, (_, at) => `${String(at).padStart(2, '0')}.txt`);
    await Promise.all(
      names.map(async (name) => {
        await put(owner, name, watch.folder);
        await Promise.all([server, ...others].map(duty));
      }),
    );
    // So many starts at once are more than the threads take: then it pauses.
    await server.services.db`update triggers set retry_at = null where id = ${watch.id}`;
    await Promise.all([server, ...others].map(duty));
    await duty(server);
    assert.deepEqual((await runFiles(owner, watch)).flat().toSorted(), names);
  });

  it('that are too many for one run start several', async () => {
    const people = await stage();
    const { owner, server } = people;
    const node = await registerNode(owner);
    const keys = Array.from({ length: 50 }, (_, at) => `n${at}`);
    const version = await versionOf(owner, {
      nodes: keys.map((key) => ({ key, node_definition_id: node, map: true })),
      edges: keys.map((key, at) => ({
        from: at === 0 ? { input: 'files' } : { node: `n${at - 1}`, port: 'out' },
        to: { node: key, port: 'in' },
      })),
      inputs: [{ name: 'files' }],
      variables: [],
    });
    const watch = await watched(people, { workflow_version_id: version });
    const files = await folderOfFiles(server, owner, 6000);
    await owner.patch(`/cogs/${files}`, { parent_id: watch.folder });
    await duty(server);
    await duty(server);
    const { body } = await owner.get(`/workflows/triggers/${watch.id}/firings`);
    const states = body.map(({ state }: { state: string }) => state);
    assert.deepEqual(states, ['fired', 'fired']);
    const [{ count } = { count: 0 }] = await server.services.db<{ count: number }[]>`
      select count(*) as count from trigger_files
      where trigger_id = ${watch.id} and state = 'started'
    `;
    assert.equal(count, 6000);
  });

  it('are remembered by their latest version alone', async () => {
    const people = await stage();
    const { owner, server } = people;
    const watch = await watched(people);
    const file = await put(owner, 'a.txt', watch.folder);
    await duty(server);
    const form = new FormData();
    form.append('file', new Blob(['second bytes']), 'a.txt');
    await owner.fetch(`/cogs/${file}/content`, { method: 'POST', body: form });
    await duty(server);
    assert.deepEqual(await runFiles(owner, watch), [['a.txt'], ['a.txt']]);
    const known = await server.services.db`
      select version from trigger_files where trigger_id = ${watch.id}
    `;
    assert.deepEqual([...known], [{ version: 2 }]);
  });

  it('are in one run when a new version comes before it starts', async () => {
    const people = await stage();
    const { owner, server } = people;
    const watch = await watched(people);
    const file = await put(owner, 'a.txt', watch.folder);
    await place(server);
    const form = new FormData();
    form.append('file', new Blob(['second bytes']), 'a.txt');
    await owner.fetch(`/cogs/${file}/content`, { method: 'POST', body: form });
    await fireFolders({ ...server.services, threads });
    await duty(server);
    assert.deepEqual(await runFiles(owner, watch), [['a.txt']]);
  });
});

describe('a folder that comes', () => {
  it('arrives in portions, however much is in it', async () => {
    const people = await stage();
    const { owner, server } = people;
    const { db } = server.services;
    const watch = await watched(people);
    const large = await folderOfFiles(server, owner, 25);
    await put(owner, 'older.txt', large);
    await place(server);
    await owner.patch(`/cogs/${large}`, { parent_id: watch.folder });
    const most = 10;
    for (let placed = 1; placed > 0; ) {
      placed = await placeArrivals(db, 1, most);
      const [row] = await db<{ count: number }[]>`select count(*) as count from arrivals`;
      assert.ok((row?.count ?? 0) <= 3 * (most + 1));
    }
    await fireFolders({ ...server.services, threads });
    const [files] = await runFiles(owner, watch);
    assert.equal(files?.length, 26);
  });

  it('does not arrive when it is new, for what comes into it arrives by itself', async () => {
    const people = await stage();
    const { owner, server } = people;
    const watch = await watched(people);
    const deep = await newFolder(owner, 'Deep', await newFolder(owner, 'Sub', watch.folder));
    await put(owner, 'a.txt', deep);
    assert.equal(await placeArrivals(server.services.db, 100), 1);
    assert.equal(await placeArrivals(server.services.db, 100), 0);
    await duty(server);
    assert.deepEqual(await runFiles(owner, watch), [['a.txt']]);
  });
});

describe('a trigger of new files', () => {
  it('says what its folder and its fields must be', async () => {
    const people = await stage();
    const { owner, stranger } = people;
    const watch = await watched(people);
    const file = await put(owner, 'a.txt', watch.folder);
    const foreign = await newFolder(stranger, 'Foreign');
    const tries: [Record<string, unknown>, number, string?][] = [
      [{ folder_id: undefined }, 422, 'folder_id'],
      [{ folder_id: file }, 422, 'folder_id'],
      [{ folder_id: foreign }, 404],
      [{ cron: '* * * * *' }, 422, 'cron'],
      [{ debounce_seconds: 3601 }, 422, 'debounce_seconds'],
    ];
    for (const [given, expected, field] of tries) {
      const { status, body } = await owner.post('/workflows/triggers', {
        ...{ name: 'X', type: 'folder', workflow_id: 1, folder_id: watch.folder, ...given },
      });
      assert.equal(status, expected, JSON.stringify(body));
      if (field) assert.equal(body.detail[0].loc[1], field);
    }
  });

  it('is found by its folder, whether it is on or off', async () => {
    const people = await stage();
    const { owner } = people;
    const watch = await watched(people, { enabled: false });
    await watched(people);
    const listOf = async (folder: number) =>
      (await owner.get(`/workflows/triggers?folder_id=${folder}`)).body;
    assert.deepEqual(
      (await listOf(watch.folder)).map(({ id }: Watch) => id),
      [watch.id],
    );
    assert.deepEqual(await listOf(await newFolder(owner, 'Elsewhere')), []);
  });

  it('keeps files that were refused, and starts them when that is mended', async () => {
    const people = await stage();
    const { owner, server } = people;
    const always = await put(owner, 'always.txt', await newFolder(owner, 'Constants'));
    const watch = await watched(people, { cog_ids: [always] });
    await owner.delete(`/cogs/${always}`);
    await put(owner, 'a.txt', watch.folder);
    await duty(server);
    const [firing] = (await owner.get(`/workflows/triggers/${watch.id}/firings`)).body;
    assert.equal(firing.state, 'refused');
    await duty(server);
    assert.equal((await owner.get(`/workflows/triggers/${watch.id}/firings`)).body.length, 1);

    await owner.post(`/cogs/${always}/restore`, {});
    await server.services.db`update triggers set retry_at = now() where id = ${watch.id}`;
    await duty(server);
    assert.deepEqual(await runFiles(owner, watch), [['a.txt', 'always.txt']]);
  });

  it('does not look at files that came while it was off', async () => {
    const people = await stage();
    const { owner, server } = people;
    const watch = await watched(people);
    const at = `/workflows/triggers/${watch.id}`;
    await put(owner, 'before.txt', watch.folder);
    await place(server);
    await owner.patch(at, { enabled: false });
    await put(owner, 'meanwhile.txt', watch.folder);
    await duty(server);
    await owner.patch(at, { enabled: true });
    await put(owner, 'after.txt', watch.folder);
    await duty(server);
    assert.deepEqual(await runFiles(owner, watch), [['after.txt']]);
  });

  it('turns itself off when its user is disabled, and on again with them', async () => {
    const people = await stage();
    const { owner, admin, server } = people;
    const watch = await watched(people);
    const set = (status: string) => admin.patch(`/users/${owner.user.id}`, { status });
    const shown = async () => (await admin.get(`/workflows/triggers/${watch.id}`)).body;
    await set('disabled');
    await put(admin, 'waits.txt', watch.folder);
    await duty(server);
    assert.deepEqual(await runFiles(admin, watch), []);
    await put(admin, 'while-off.txt', watch.folder);
    await duty(server);
    assert.deepEqual(
      [(await shown()).enabled, (await shown()).off_reason],
      [false, 'run_as_disabled'],
    );
    await set('active');
    assert.equal((await shown()).enabled, true);
    await put(admin, 'after.txt', watch.folder);
    await duty(server);
    assert.deepEqual(await runFiles(admin, watch), [['after.txt', 'waits.txt']]);
  });

  it('takes all that is in its folder when it is fired by hand', async () => {
    const people = await stage();
    const { owner, server } = people;
    const watch = await watched(people);
    await put(owner, 'a.txt', watch.folder);
    await duty(server);
    assert.equal((await owner.post(`/workflows/triggers/${watch.id}/fire`)).status, 202);
    assert.deepEqual(await runFiles(owner, watch), [['a.txt'], ['a.txt']]);
  });

  it('never starts over what its own runs have made', async () => {
    const people = await stage();
    const { owner, server, worker } = people;
    const watch = await watched(people);
    await put(owner, 'a.txt', watch.folder);
    await duty(server);
    const [order] = await worker.acquire();
    assert.ok(order);
    await worker.succeed(order, [{ port: 'out', name: 'made.txt', text: 'made' }]);
    const { body } = await owner.get(`/workflows/workflow-runs?trigger_id=${watch.id}`);
    const run = await look(owner, body[0].id);
    const made = run.run_files.find(
      ({ direction }: { direction: string }) => direction === 'output',
    );
    await owner.patch(`/cogs/${made.cog_id}`, { parent_id: watch.folder });
    await owner.post(`/cogs/${made.cog_id}/copy`, { parent_id: watch.folder, name: 'copy' });
    await duty(server);
    assert.equal((await runFiles(owner, watch)).length, 1);
  });
});
