import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../../../test/cast.ts';
import { deliveriesOf, runsOf, send, verdictsOf, webhook } from '../../../../test/hooks.ts';
import { look, stage } from '../../../../test/runs.ts';

describe('a webhook', () => {
  it('is off while its trigger is, and when its user is disabled', async () => {
    const people = await stage();
    const { admin, owner } = people;
    const hook = await webhook(people, { enabled: false });
    const at = `/workflows/triggers/${hook.id}`;
    const off = await send(hook);
    assert.deepEqual([off.status, off.body.code], [409, 'trigger_disabled']);
    await owner.patch(at, { enabled: true });
    assert.equal((await send(hook, {}, { id: 'm' })).status, 202);

    await admin.patch(`/users/${owner.user.id}`, { status: 'disabled' });
    assert.equal((await send(hook)).body.code, 'trigger_disabled');
    assert.equal((await admin.get(at)).body.off_reason, 'run_as_disabled');
    assert.deepEqual(await verdictsOf(admin, hook), ['disabled', 'accepted', 'disabled']);
    await admin.patch(`/users/${owner.user.id}`, { status: 'active' });
    assert.equal((await send(hook)).status, 202);
  });

  it('can be changed and turned off when its folder was deleted', async () => {
    const people = await stage();
    const { owner } = people;
    const hook = await webhook(people);
    const at = `/workflows/triggers/${hook.id}`;
    await owner.patch(at, { mapping: { cog_ids: '/cogs' }, folder_id: hook.folder });
    await owner.delete(`/cogs/${hook.folder}`);
    const refused = await send(hook, { cogs: [hook.file] });
    assert.deepEqual(refused.body.detail[0].loc, ['body', '/cogs']);
    assert.equal((await owner.patch(at, { name: 'Off', enabled: false })).status, 200);
    assert.equal((await owner.patch(at, { folder_id: hook.folder })).status, 200);
    const file = (await owner.upload('a.txt', 'a')).body.id;
    assert.equal((await owner.patch(at, { folder_id: file })).status, 422);
    assert.equal((await owner.patch(at, { folder_id: null })).status, 422);
    assert.equal((await owner.patch(at, { folder_id: null, mapping: {} })).status, 200);
  });

  it('accepts a message after its refusal has been mended', async () => {
    const people = await stage();
    const { owner } = people;
    const hook = await webhook(people);
    await owner.delete(`/cogs/${hook.file}`);
    assert.equal((await send(hook, {}, { id: 'msg' })).status, 404);
    await owner.post(`/cogs/${hook.file}/restore`, {});
    const accepted = await send(hook, {}, { id: 'msg' });
    assert.equal(accepted.status, 202);
    assert.deepEqual((await send(hook, {}, { id: 'msg' })).body, accepted.body);
  });

  it('has two secrets while they are rotated', async () => {
    const people = await stage();
    const { owner } = people;
    const hook = await webhook(people);
    const rotate = async (body: Record<string, unknown>) =>
      (await owner.post(`/workflows/triggers/${hook.id}/rotate-secret`, body)).body;
    const second = await rotate({ overlap_seconds: 3600 });
    const left_s = (Date.parse(second.old_secret_ends_at) - Date.now()) / 1000;
    assert.ok(left_s > 3000 && left_s <= 3601, String(left_s));
    const by = async (secret: string) => (await send(hook, {}, { secret })).status;
    assert.deepEqual([await by(hook.secret), await by(second.secret)], [202, 202]);
    const third = await rotate({});
    assert.deepEqual(
      [await by(hook.secret), await by(second.secret), await by(third.secret)],
      [401, 202, 202],
    );
    await people.server.services.db`
      update trigger_secrets set ends_at = now() where trigger_id = ${hook.id} and ends_at is not null
    `;
    assert.deepEqual([await by(second.secret), await by(third.secret)], [401, 202]);
    const fourth = await rotate({ overlap_seconds: 0 });
    assert.deepEqual([await by(third.secret), await by(fourth.secret)], [401, 202]);
    assert.equal(fourth.old_secret_ends_at, undefined);
  });

  it('takes the secret that a sender gives', async () => {
    const people = await stage();
    for (const secret of ['short', 'x'.repeat(32), `whsec_${'A'.repeat(8)}`]) {
      const given = { name: 'X', type: 'webhook', workflow_id: 1, secret };
      const { status, body } = await people.owner.post('/workflows/triggers', given);
      assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'secret']], secret);
    }
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const hook = await webhook(people, { secret });
    assert.equal(hook.secret, secret);
    assert.equal((await send(hook)).status, 202);
  });

  it('is changed and looked into by those who may change its trigger', async () => {
    const people = await stage();
    const { admin, viewer, stranger, owner } = people;
    const hook = await webhook(people);
    await send(hook, { private: true });
    const [delivery] = await deliveriesOf(owner, hook);
    const at = `/workflows/triggers/${hook.id}`;
    const tries = (who: Client) =>
      Promise.all([
        who.get(`${at}/deliveries`),
        who.get(`${at}/deliveries/${delivery?.id}`),
        who.post(`${at}/deliveries/${delivery?.id}/redeliver`),
        who.post(`${at}/rotate-secret`, {}),
      ]).then((answers) => answers.map(({ status }) => status));
    assert.deepEqual(await tries(viewer), [403, 403, 403, 403]);
    assert.deepEqual(await tries(stranger), [404, 404, 404, 404]);
    assert.deepEqual(await tries(admin), [200, 200, 202, 200]);
  });
});

describe('a delivery', () => {
  it('is shown with its body, and delivered again by the mapping of today', async () => {
    const people = await stage();
    const { owner } = people;
    const hook = await webhook(people);
    const message = { width: 7 };
    const first = await send(hook, message);
    const [{ id } = { id: 0 }] = await deliveriesOf(owner, hook);
    const at = `/workflows/triggers/${hook.id}/deliveries/${id}`;
    assert.equal((await owner.get(at)).body.body, JSON.stringify(message));
    await owner.patch(`/workflows/triggers/${hook.id}`, {
      mapping: { extra_variables: { width: '/width' } },
    });
    // A message that is kept is not signed anew.
    await owner.post(`/workflows/triggers/${hook.id}/rotate-secret`, { overlap_seconds: 0 });
    const key = { headers: { 'idempotency-key': 'once' } };
    const again = await owner.post(`${at}/redeliver`, undefined, key);
    assert.equal(again.status, 202);
    assert.notEqual(again.body.workflow_run_id, first.body.workflow_run_id);
    const run = await look(owner, again.body.workflow_run_id);
    assert.equal(run.extra_variables.width, 7);
    const repeated = await owner.post(`${at}/redeliver`, undefined, key);
    assert.deepEqual(repeated.body, again.body);
    const [latest] = (await owner.get(`/workflows/triggers/${hook.id}/deliveries`)).body;
    assert.deepEqual([latest.verdict, latest.redelivery_of], ['accepted', id]);
    assert.equal((await runsOf(owner, hook)).length, 2);
  });

  it('cannot be delivered again when its body is not kept', async () => {
    const people = await stage();
    const { owner } = people;
    const hook = await webhook(people);
    await send(hook, { large: 'x'.repeat(70_000) });
    const [delivery] = await deliveriesOf(owner, hook);
    const at = `/workflows/triggers/${hook.id}/deliveries/${delivery?.id}`;
    assert.equal((await owner.get(at)).body.has_body, false);
    const { status, body } = await owner.post(`${at}/redeliver`);
    assert.deepEqual([status, body.code], [409, 'body_not_kept']);
  });
});
