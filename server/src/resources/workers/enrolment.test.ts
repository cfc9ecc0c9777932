import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast, client, person } from '../../../test/cast.ts';
import { watch } from '../../../test/event-stream.ts';
import { filesOf, run, stage, versionOf } from '../../../test/runs.ts';
import { scriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

const worker = { name: 'w', capacity: { cpu: 1, memory_mb: 1024, gpu: 0, disk_mb: 1024 } };

describe('an enrolment token', () => {
  it('enrols one worker, and says when it did to whoever comes after', async () => {
    const { admin, server } = await cast();
    const { body } = await admin.post('/workers/enrollment-tokens', {});
    const enrol = () => client(server.url).post('/workers', { ...worker, ...token(body) });
    assert.equal((await enrol()).status, 201);

    const second = await enrol();

    assert.deepEqual([second.status, second.body.code], [401, 'enrollment_token_refused']);
    assert.match(second.body.detail, /was used at 2\d{3}-.*Z; each enrols one worker/);
  });

  it('stands in the audit trail when it is used: from where, and who had made it', async () => {
    const { admin, server } = await cast();
    await server.services.db`update users set is_platform_admin = true where id = ${admin.user.id}`;
    const made = async (scope: string) => {
      const { body } = await admin.post('/workers/enrollment-tokens', { scope });
      return body;
    };
    const own = await made('tenant');
    await client(server.url).post('/workers', { ...worker, ...token(own) });

    const { body: events } = await admin.get('/audit-events/?action=worker.enrolled');

    assert.deepEqual(
      events.map((event: { details: object }) => event.details),
      [
        {
          ...{ name: 'w', address: '127.0.0.1', enrollment_token_id: own.id },
          token_by: admin.user.id,
        },
      ],
    );
  });

  it('says that it has expired, or is none of here', async () => {
    const { admin, server } = await cast();
    const { body } = await admin.post('/workers/enrollment-tokens', { expires_in: 60 });
    await server.services.db`update enrollment_tokens set expires_at = now()`;
    const enrol = (enrollment_token: string) =>
      client(server.url).post('/workers', { ...worker, enrollment_token });

    const expired = await enrol(body.enrollment_token);
    const unknown = await enrol('wet_of-another-server');

    assert.equal(expired.status, 401);
    assert.match(expired.body.detail, /has expired at/);
    assert.equal(unknown.status, 401);
    assert.match(unknown.body.detail, /is unknown here/);
  });

  it('enrols nothing once its maker is no administrator', async () => {
    const { admin, server } = await cast();
    for (const change of [{ status: 'disabled' }, { role: 'member' }]) {
      const second = await person(server, admin.user.tenant_id, 'second', 'admin');
      const { body } = await second.post('/workers/enrollment-tokens', {});
      const enrol = () => client(server.url).post('/workers', { ...worker, ...token(body) });
      await admin.patch(`/users/${second.user.id}`, change);

      const late = await enrol();

      assert.equal(late.status, 401);
      assert.match(late.body.detail, /is no administrator any more/);
      await admin.patch(`/users/${second.user.id}`, { status: 'active', role: 'admin' });
      assert.equal((await enrol()).status, 201);
    }
  });
});

describe('an enrolled worker', () => {
  it('is known by its token, and told of to its organization until it is removed', async () => {
    const { admin, viewer, stranger, server } = await cast();
    const [stream, foreign] = [await watch(viewer, '/events'), await watch(stranger, '/events')];
    for (const one of [stream, foreign]) await one.until(({ event }) => event === 'reset');
    const made = (await admin.post('/workers/enrollment-tokens', {})).body;
    const enrolled = await client(server.url).post('/workers', { ...worker, ...token(made) });
    const at = `/workers/${enrolled.body.id}`;
    const own = client(server.url, enrolled.body.worker_token);

    const [listed] = (await viewer.get('/workers')).body;
    assert.deepEqual([listed.enrollment_token_id, listed.status], [made.id, 'offline']);
    const { epoch } = (await own.post(`${at}/start`, {})).body;
    await admin.post(`${at}/drain`);
    await admin.post(`${at}/resume`);
    await admin.patch(at, { name: 'renamed\n' });
    await client(server.url, `${enrolled.body.worker_token}.${epoch}`).post(`${at}/stop`);
    await admin.delete(at);

    await stream.until(({ data }) => data.status === 'disabled');
    const told = stream.told.filter(({ event }) => event === 'worker').map(({ data }) => data);
    assert.deepEqual(
      told.map(({ status }) => status),
      ['offline', 'online', 'draining', 'online', 'online', 'offline', 'disabled'],
    );
    assert.deepEqual(told.at(-1), { id: listed.id, name: 'renamed\n', status: 'disabled' });
    assert.deepEqual(foreign.told, [{ event: 'reset', data: { reason: 'start' } }]);
    for (const one of [stream, foreign]) one.close();
  });

  it('shows what it does, step by step, to those whose runs they are', async () => {
    const people = await stage();
    const { owner, stranger, worker: busy, server } = people;
    const shared = await scriptedWorker(server, null);
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const started = await run(owner, version, { cog_ids: await filesOf(owner, 'a', 'b', 'c') });
    await busy.acquire(2);
    await shared.acquire(1);
    const workOf = async (who: Client, id: number) => (await who.get(`/workers/${id}`)).body.work;

    const [task, ...others] = await workOf(owner, busy.id);
    assert.deepEqual(others, []);
    const { since, workflow_id: _, ...shown } = task;
    const { workflow_run_id } = started.body;
    assert.deepEqual(shown, { workflow_run_id, node_key: 'each', attempts: 2 });
    assert.ok(Math.abs(Date.parse(since) - Date.now()) < 60_000);
    assert.equal((await workOf(owner, shared.id))[0].attempts, 1);
    assert.deepEqual(await workOf(stranger, shared.id), []);
  });
});

const token = ({ enrollment_token }: { enrollment_token: string }) => ({ enrollment_token });
