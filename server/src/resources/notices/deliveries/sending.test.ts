import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  deliveriesOf,
  endedRun,
  nextAttempts,
  notice,
  noticeStage,
  receiversAllowed,
  send,
} from '../../../../test/notices.ts';
import { isSignedBy, type Receiver, receiver, status } from '../../../../test/receivers.ts';
import { look, run, versionOf } from '../../../../test/runs.ts';
import { startServer } from '../../../../test/server.ts';
import { registerNode } from '../../../../test/workflows.ts';
import { openOutbound } from '../../../outbound/outbound.ts';

const server = await startServer(receiversAllowed);
const stage = () => noticeStage(server);
const typesOf = ({ received }: Receiver) => received.map(({ content }) => content.type);
const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers['webhook-id']);

describe('the end of a run', () => {
  it('is told to those who asked for such ends, thinly and signed', async () => {
    const people = await stage();
    const { owner, workflow, version } = people;
    const [all, failures, ofAnother, off] = (await Promise.all(
      Array.from({ length: 4 }, () => receiver()),
    )) as [Receiver, Receiver, Receiver, Receiver];
    const graph = { nodes: [], edges: [], inputs: [], variables: [] };
    const { body: another } = await owner.post('/workflows', { name: 'Another', graph });
    const made = await notice(owner, all.url, { workflow_id: workflow });
    await notice(owner, failures.url, { events: ['run.failure'] });
    await notice(owner, ofAnother.url, { workflow_id: another.id });
    await notice(owner, off.url, { enabled: false });

    await endedRun(people, 'success');
    const failed = await endedRun(people, 'failure');
    await endedRun(people);
    await send(server);

    assert.deepEqual(typesOf(all).sort(), ['run.cancelled', 'run.failure', 'run.success']);
    assert.deepEqual(typesOf(failures), ['run.failure']);
    assert.deepEqual([...typesOf(ofAnother), ...typesOf(off)], []);
    const shown = await look(owner, failed);
    const message = all.received.find(({ content }) => content.type === 'run.failure');
    const { timestamp, ...content } = message?.content ?? {};
    assert.deepEqual(content, {
      type: 'run.failure',
      data: {
        ...{ workflow_run_id: failed, workflow_id: workflow, workflow_version_id: version },
        ...{ status: 'failure', started_by: owner.user.id, test_run: true },
        error_message: shown.error_message,
        url: `${server.url}/app/runs/${failed}`,
      },
    });
    assert.ok(Math.abs(Date.parse(timestamp) - Date.parse(shown.finished_at)) < 60_000);
    assert.ok(all.received.every((one) => isSignedBy(made.secret, one)));
    assert.equal(new Set(idsOf(all)).size, 3);
    const [first] = await deliveriesOf(owner, made);
    assert.deepEqual(
      [first?.type, first?.state, first?.attempts.length, first?.attempts[0]?.status],
      ['run.success', 'delivered', 1, 204],
    );
  });

  it('is told of a run that ends as it begins', async () => {
    const people = await stage();
    const { owner } = people;
    const place = await receiver();
    await notice(owner, place.url);
    const node_definition_id = await registerNode(owner, { inputs: [] });
    const version = await versionOf(owner, {
      nodes: [{ key: 'never', node_definition_id, when: 'vars.go == true' }],
      variables: [{ variable_name: 'go', type: 'boolean', required: false, default: false }],
      ...{ edges: [], inputs: [] },
    });
    const { body } = await run(owner, version, { cog_ids: [] });
    await send(server);
    assert.equal((await look(owner, body.workflow_run_id)).status, 'success');
    assert.deepEqual(typesOf(place), ['run.success']);
  });

  it('is told by nobody who is disabled', async () => {
    const people = await stage();
    const { owner, admin } = people;
    const place = await receiver();
    const made = await notice(owner, place.url);
    const set = (state: string) => admin.patch(`/users/${owner.user.id}`, { status: state });
    const first = await endedRun(people);
    await set('disabled');
    await endedRun({ ...people, owner: admin });
    await send(server);
    assert.deepEqual(typesOf(place), []);
    await set('active');
    await send(server);
    const told = place.received.map(({ content }) => content.data.workflow_run_id);
    assert.deepEqual(told, [first]);
    assert.equal((await deliveriesOf(admin, made)).length, 1);
  });
});

describe('a receiver that does not answer well', () => {
  it('is called again by the plan, under the same id and with a new time', async () => {
    const people = await stage();
    const { owner } = people;
    const place = await receiver(status(500));
    const made = await notice(owner, place.url);
    const ended = await endedRun(people);
    const before = await look(owner, ended);
    const hours = [2, 5, 10, 14, 20, 24].map((wait) => wait * 3600);
    for (const wait_s of [5, 300, 1800, ...hours]) {
      await send(server);
      const [delivery] = await deliveriesOf(owner, made);
      const next_ms = Date.parse(delivery?.next_attempt_at ?? '');
      const waits_s = (next_ms - Date.parse(delivery?.attempts.at(-1)?.attempted_at ?? '')) / 1000;
      assert.ok(waits_s > wait_s * 0.9 - 0.1, `${waits_s} for ${wait_s}`);
      assert.ok((next_ms - Date.now()) / 1000 < wait_s * 1.1 + 1, `${wait_s}`);
      // Five seconds may pass on a machine that does other things.
      await server.services.db`
        update notice_deliveries set next_attempt_at = next_attempt_at + interval '1 minute'
        where notice_id = ${made.id}
      `;
      const count = place.received.length;
      await send(server);
      assert.equal(place.received.length, count, 'it is not due yet');
      await nextAttempts(server, made);
    }
    await place.stop();
    await send(server);
    const [delivery] = await deliveriesOf(owner, made);
    assert.deepEqual([delivery?.state, delivery?.attempts.length], ['failed', 10]);
    assert.equal(delivery?.next_attempt_at, undefined);
    assert.deepEqual(delivery?.attempts.map((one) => one.status).slice(0, 9), Array(9).fill(500));
    assert.match(delivery?.attempts[9]?.error ?? '', /refused/);
    await nextAttempts(server, made);
    await send(server);
    assert.equal((await deliveriesOf(owner, made))[0]?.attempts.length, 10);

    assert.deepEqual(new Set(idsOf(place)), new Set([delivery?.message_id]));
    assert.ok(place.received.every((one) => isSignedBy(made.secret, one)));
    assert.deepEqual(await look(owner, ended), before);
  });

  it('turns its notice off by 410; turned on again, what waits is sent', async () => {
    const people = await stage();
    const { owner, admin } = people;
    const place = await receiver(status(410));
    const made = await notice(owner, place.url);
    await endedRun(people);
    await send(server);
    const { body } = await owner.get(made.at);
    assert.deepEqual([body.enabled, body.off_reason], [false, 'gone']);
    const { body: events } = await admin.get('/audit-events?action=notice.paused');
    assert.deepEqual(
      [events.length, events[0].target_id, events[0].details],
      [1, String(made.id), { off_reason: 'gone' }],
    );
    assert.equal((await owner.post(`${made.at}/test`)).body.code, 'notice_disabled');
    const [waiting] = await deliveriesOf(owner, made);
    const again = await owner.post(`${made.at}/deliveries/${waiting?.id}/redeliver`);
    assert.deepEqual([again.status, again.body.code], [409, 'notice_disabled']);
    // It is off: of this one there will be no message.
    await endedRun(people);
    await nextAttempts(server, made);
    await send(server);
    assert.equal(place.received.length, 1);

    place.answer = status(200);
    const on = await owner.patch(made.at, { enabled: true });
    assert.deepEqual([on.body.off_reason, on.body.failing_since], [undefined, undefined]);
    await send(server);
    assert.deepEqual(idsOf(place), [waiting?.message_id, waiting?.message_id]);
    assert.deepEqual(
      (await deliveriesOf(owner, made)).map(({ state }) => state),
      ['delivered'],
    );
  });

  it('turns its notice off when nothing has worked for five days', async () => {
    const people = await stage();
    const { owner } = people;
    const place = await receiver(status(503));
    const made = await notice(owner, place.url);
    const failingFor = async (time: string) => {
      await server.services.db`
        update notices set failing_since = now() - ${time}::interval where id = ${made.id}
      `;
      await nextAttempts(server, made);
      await send(server);
      return (await owner.get(made.at)).body;
    };
    await endedRun(people);
    await send(server);
    assert.ok((await owner.get(made.at)).body.failing_since);
    assert.equal((await failingFor('119 hours')).enabled, true);
    place.answer = status(200);
    assert.equal((await failingFor('6 days')).failing_since, undefined);
    place.answer = status(503);
    await endedRun(people);
    const off = await failingFor('5 days');
    assert.deepEqual([off.enabled, off.off_reason], [false, 'failing']);
  });

  it('is left alone for as long as it asks', async () => {
    const people = await stage();
    const { owner } = people;
    const place = await receiver(status(429, { 'retry-after': '3600' }));
    const made = await notice(owner, place.url);
    await endedRun(people);
    await send(server);
    const { body } = await owner.get(made.at);
    const quiet_s = (Date.parse(body.quiet_until) - Date.now()) / 1000;
    assert.ok(quiet_s > 3500 && quiet_s <= 3600, String(quiet_s));
    const [delivery] = await deliveriesOf(owner, made);
    assert.ok(Date.parse(delivery?.next_attempt_at ?? '') >= Date.parse(body.quiet_until) - 1000);
    await endedRun(people);
    await nextAttempts(server, made);
    await send(server);
    assert.equal(place.received.length, 1);

    place.answer = status(200);
    await server.services.db`
      update notices set quiet_until = now() - interval '1 second' where id = ${made.id}
    `;
    await send(server);
    assert.equal(place.received.length, 3);
  });

  it('leads nowhere by a redirect', async () => {
    const people = await stage();
    const { owner } = people;
    const inside = await receiver();
    for (const code of [301, 302, 303, 307, 308]) {
      const place = await receiver(status(code, { location: inside.url }));
      const made = await notice(owner, place.url, { events: ['run.success'] });
      await owner.post(`${made.at}/test`);
      await send(server);
      const [delivery] = await deliveriesOf(owner, made);
      assert.deepEqual([delivery?.state, delivery?.attempts[0]?.status], ['failed', code]);
    }
    assert.deepEqual(inside.received, []);
  });

  it('leads nowhere by a name whose address changes', async () => {
    const people = await stage();
    const { owner } = people;
    const made = await notice(owner, 'https://hooks.example/');
    await endedRun(people);
    const names: string[] = [];
    const outbound = openOutbound([], async (name) => {
      names.push(name);
      return ['127.0.0.1'];
    });
    await send(server, { outbound });
    const [delivery] = await deliveriesOf(owner, made);
    assert.deepEqual(names, ['hooks.example']);
    assert.equal(delivery?.state, 'waiting');
    assert.equal(delivery?.attempts[0]?.error, 'There is no public address of that name.');
  });
});

describe('a message', () => {
  it('may be a test, which is tried once', async () => {
    const { owner } = await stage();
    const place = await receiver();
    const made = await notice(owner, place.url);
    const { status: code, body } = await owner.post(`${made.at}/test`);
    assert.deepEqual([code, body.state, body.attempts], [202, 'waiting', []]);
    await send(server);
    assert.deepEqual(place.received[0]?.content.data, { notice_id: made.id });
    place.answer = status(404);
    await owner.post(`${made.at}/test`);
    await send(server);
    const states = (await deliveriesOf(owner, made)).map(({ type, state }) => [type, state]);
    assert.deepEqual(states, [
      ['test', 'delivered'],
      ['test', 'failed'],
    ]);
    const { body: failed } = await owner.get(`${made.at}/deliveries?state=failed`);
    assert.equal(failed.length, 1);
  });

  it('is sent again when somebody says so, under the same id', async () => {
    const people = await stage();
    const { owner } = people;
    const place = await receiver();
    const made = await notice(owner, place.url);
    await endedRun(people);
    await send(server);
    const [first] = await deliveriesOf(owner, made);
    const { status: code, body } = await owner.post(`${made.at}/deliveries/${first?.id}/redeliver`);
    assert.deepEqual([code, body.id, body.state], [202, first?.id, 'waiting']);
    await send(server);
    const [again] = await deliveriesOf(owner, made);
    assert.deepEqual([again?.state, again?.attempts.length], ['delivered', 2]);
    assert.equal(new Set(idsOf(place)).size, 1);
    assert.equal((await owner.post(`${made.at}/deliveries/999999/redeliver`)).status, 404);
    const other = await notice(owner, place.url);
    const foreign = await owner.post(`${other.at}/deliveries/${first?.id}/redeliver`);
    assert.equal(foreign.status, 404);
  });

  it('is signed with both secrets while they are rotated', async () => {
    const { owner } = await stage();
    const place = await receiver();
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const made = await notice(owner, place.url, { secret });
    assert.equal(made.secret, secret);
    const rotate = async (body: object) =>
      (await owner.post(`${made.at}/rotate-secret`, body)).body;
    const signersOf = async (...secrets: string[]) => {
      await owner.post(`${made.at}/test`);
      await send(server);
      const last = place.received.at(-1);
      return secrets.map((one) => last !== undefined && isSignedBy(one, last));
    };
    const second = await rotate({ overlap_seconds: 3600 });
    assert.ok(Date.parse(second.old_secret_ends_at) > Date.now());
    assert.deepEqual(await signersOf(secret, second.secret), [true, true]);
    const third = await rotate({});
    assert.deepEqual(await signersOf(secret, second.secret, third.secret), [false, true, true]);
    await server.services.db`
      update notice_secrets set ends_at = now() - interval '1 second'
      where notice_id = ${made.id} and ends_at is not null
    `;
    assert.deepEqual(await signersOf(second.secret, third.secret), [false, true]);
  });

  it('goes to the URL that the notice has by then', async () => {
    const people = await stage();
    const { owner } = people;
    const [old, place] = [await receiver(status(500)), await receiver()];
    const made = await notice(owner, old.url);
    await endedRun(people);
    await send(server);
    await owner.patch(made.at, { url: place.url });
    await nextAttempts(server, made);
    await send(server);
    assert.deepEqual([old.received.length, place.received.length], [1, 1]);
  });

  it('goes with its notice', async () => {
    const people = await stage();
    const { owner } = people;
    const place = await receiver();
    const made = await notice(owner, place.url);
    await endedRun(people);
    assert.equal((await owner.delete(made.at)).status, 204);
    await send(server);
    assert.deepEqual(place.received, []);
    const [row] = await server.services.db`
      select count(*) as count from notice_deliveries where notice_id = ${made.id}
    `;
    assert.deepEqual(row, { count: 0 });
  });
});
