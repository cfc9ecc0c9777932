import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  duty as dutyOn,
  newFolder,
  place,
  put,
  runFiles,
  watched,
} from '../../../../test/folder-triggers.ts';
import { folderOfFiles, stage, versionOf } from '../../../../test/runs.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { registerNode } from '../../../../test/workflows.ts';
import { openGraphThreads } from '../../workflows/graph-bodies.ts';
import { placeArrivals } from './arriving.ts';
import { fireFolders } from './firing.ts';

const threads = openGraphThreads();
after(() => threads.close());

const duty = (server: TestServer) => dutyOn(server, threads);

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
