import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  duty as dutyOn,
  newFolder,
  place,
  put,
  runFiles,
  type Watch,
  watched,
} from '../../../../test/folder-triggers.ts';
import { look, stage } from '../../../../test/runs.ts';
import type { TestServer } from '../../../../test/server.ts';
import { openGraphThreads } from '../../workflows/graph-bodies.ts';

const threads = openGraphThreads();
after(() => threads.close());

const duty = (server: TestServer) => dutyOn(server, threads);

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
