import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { allEvents, notice } from '../../../test/notices.ts';
import { versionOf } from '../../../test/runs.ts';
import { testServer } from '../../../test/server.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

const at = '/workflows/notices';
const url = 'https://example.com/hooks?token=t0ken';
const usual = { url, events: ['run.failure'] };

describe('a notice', () => {
  it('is set up by any member, with a secret that is shown once', async () => {
    const { owner, server } = await cast();
    const { status, body } = await owner.post(at, { ...usual, name: 'Ops' });
    assert.equal(status, 201);
    const { id, secret, created_at, updated_at, ...rest } = body;
    assert.deepEqual(rest, {
      ...{ name: 'Ops', url, by_mail: false, events: ['run.failure'] },
      ...{ enabled: true, created_by: owner.user.id },
    });
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(created_at, updated_at);
    const { secret: _, ...shown } = body;
    assert.deepEqual((await owner.get(`${at}/${id}`)).body, shown);
    assert.deepEqual((await owner.get(at)).body, [shown]);
    const [row] = await server.services.db<{ sealed_value: Uint8Array }[]>`
      select sealed_value from notice_secrets where notice_id = ${id}
    `;
    assert.doesNotMatch(Buffer.from(row?.sealed_value ?? []).toString('latin1'), /whsec/);
  });

  it('is refused with what is wrong', async () => {
    const { owner, stranger } = await cast();
    const graph = mappedGraph(await registerNode(stranger));
    const { body: foreign } = await stranger.post('/workflows', { name: 'Foreign', graph });
    const faults: [Record<string, unknown>, status: number, field?: string][] = [
      [{ url: 'http://example.com' }, 422, 'url'],
      [{ url: 'https://u:p@example.com' }, 422, 'url'],
      [{ url: 'https://127.1' }, 422, 'url'],
      [{ url: 'https://2130706433' }, 422, 'url'],
      [{ url: 'https://[::ffff:7f00:1]' }, 422, 'url'],
      [{ url: 'https://localhost.' }, 422, 'url'],
      [{ url: 'nowhere' }, 422, 'url'],
      [{ url: `https://example.com/${'ü'.repeat(1000)}` }, 422, 'url'],
      [{ events: [] }, 422, 'events'],
      [{ events: ['run.started'] }, 422, 'events'],
      [{ events: ['run.failure', 'run.failure'] }, 422, 'events'],
      [{ secret: `whsec_${'A'.repeat(8)}` }, 422, 'secret'],
      [{ secret: 'not a secret at all' }, 422, 'secret'],
      [{ workflow_id: 999_999_999 }, 404],
      [{ workflow_id: foreign.id }, 404],
    ];
    for (const [fault, status, field] of faults) {
      const answer = await owner.post(at, { ...usual, ...fault });
      assert.equal(answer.status, status, JSON.stringify(fault));
      if (field) assert.equal(answer.body.detail[0].loc[1], field);
      const made = await notice(owner, url);
      if (fault.secret === undefined) {
        assert.equal((await owner.patch(made.at, fault)).status, status, JSON.stringify(fault));
      }
      await owner.delete(made.at);
    }
    assert.deepEqual((await owner.get(at)).body, []);
  });

  it('keeps its URL as it is called', async () => {
    const { owner } = await cast();
    const given = '  HTTPS://Example.COM:443/a/../b\n?c#d';
    const { body } = await owner.post(at, { ...usual, url: given });
    assert.equal(body.url, 'https://example.com/b?c');
  });

  it('is changed and deleted by its maker and admins; others see where it leads', async () => {
    const { owner, viewer, admin, stranger } = await cast();
    const made = await notice(owner, url, { name: 'Ops' });
    const tries = async (who: typeof owner) => [
      (await who.get(made.at)).status,
      (await who.get(`${made.at}/deliveries`)).status,
      (await who.patch(made.at, { name: 'x' })).status,
      (await who.post(`${made.at}/rotate-secret`, {})).status,
      (await who.post(`${made.at}/test`)).status,
      (await who.post(`${made.at}/deliveries/999999/redeliver`)).status,
      (await who.delete(made.at)).status,
    ];
    assert.deepEqual(await tries(viewer), [200, 403, 403, 403, 403, 403, 403]);
    assert.deepEqual(await tries(stranger), [404, 404, 404, 404, 404, 404, 404]);
    assert.equal((await viewer.get(made.at)).body.url, 'https://example.com');
    assert.equal((await viewer.get(at)).body[0].url, 'https://example.com');
    assert.equal((await owner.get(made.at)).body.url, url);
    assert.deepEqual(await tries(admin), [200, 200, 200, 200, 202, 404, 204]);
    assert.equal((await owner.get(made.at)).status, 404);
  });

  it('takes changes, and null where there may be nothing', async () => {
    const { owner } = await cast();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { workflow_id } = (await owner.get(`/workflows/workflow-versions/${version}`)).body;
    const made = await notice(owner, url, { name: 'Ops', workflow_id });
    assert.equal((await owner.get(`${at}?workflow_id=${workflow_id}`)).body.length, 1);
    const changes = { url: 'https://example.org/', events: allEvents.slice(1), enabled: false };
    const { body } = await owner.patch(made.at, { ...changes, name: null, workflow_id: null });
    const { id, created_at, updated_at, ...rest } = body;
    assert.deepEqual(rest, { ...changes, by_mail: false, created_by: owner.user.id });
    assert.equal((await owner.get(`${at}?workflow_id=${workflow_id}`)).body.length, 0);
    assert.equal((await owner.patch(made.at, {})).status, 422);
    assert.equal((await owner.patch(made.at, { secret: 'x' })).status, 422);
  });

  it('is one of a hundred of its tenant at most', async () => {
    const { owner, admin } = await cast();
    for (let count = 0; count < 100; count += 1) await notice(owner, url);
    const { status, body } = await admin.post(at, usual);
    assert.deepEqual([status, body.code], [409, 'too_many_notices']);
  });

  it('is made once for an Idempotency-Key', async () => {
    const { owner } = await cast();
    const key = { headers: { 'idempotency-key': 'once' } };
    const first = await owner.post(at, usual, key);
    assert.deepEqual((await owner.post(at, usual, key)).body, first.body);
    assert.equal((await owner.get(at)).body.length, 1);
  });

  it('leaves events of what was done, without its URL', async () => {
    const { owner, admin } = await cast();
    const made = await notice(owner, url, { name: 'Ops' });
    await owner.patch(made.at, { url: `${url}2`, enabled: false });
    await owner.post(`${made.at}/rotate-secret`, {});
    await owner.delete(made.at);
    const { body } = await admin.get('/audit-events?target_type=notice');
    assert.deepEqual(
      body.map(({ action }: { action: string }) => action),
      ['notice.deleted', 'notice.secret_rotated', 'notice.changed', 'notice.created'],
    );
    assert.doesNotMatch(JSON.stringify(body), /t0ken|whsec/);
    assert.equal(body[1].details.origin, 'https://example.com');
  });
});

describe('GET /metrics', () => {
  it('tells how long a message has been due', async () => {
    const { owner, server } = await cast(await testServer());
    const made = await notice(owner, url);
    await owner.post(`${made.at}/test`);
    await server.services.db`
      update notice_deliveries set next_attempt_at = now() - interval '1 hour'
      where notice_id = ${made.id}
    `;
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const late_s = Number(/^cogworks_webhook_out_oldest_seconds (\S+)/m.exec(text)?.[1]);
    assert.ok(late_s >= 3600 && late_s < 3700, String(late_s));
  });
});
