import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextTurn, Turns, type Who } from './turns.ts';

const limits = { slots: 4, per_tenant: 3, per_user: 2 };
/** `a1` is user 1 of tenant a. */
const who = (name: string): Who => ({
  tenant_id: name.charCodeAt(0),
  user_id: name.charCodeAt(0) * 10 + Number(name[1]),
});
const people = (text: string) => text.split(' ').filter(Boolean).map(who);

describe('whose turn is next', () => {
  for (const [sentence, waiting, underWay, expected] of [
    ['nobody when nobody waits', '', '', undefined],
    ['who came first, of equals', 'a1 b1 c1', '', 'a1'],
    ['nobody when all slots are taken', 'c1', 'a1 a2 b1 b2', undefined],
    ['the tenant with the fewest turns', 'a1 a1 b1', 'a2', 'b1'],
    ['the user with the fewest, within a tenant', 'a1 a2', 'a1', 'a2'],
    ['never more of a user than allowed', 'a1 a1', 'a1 a1', undefined],
    ['another user of the same tenant then', 'a1 a2', 'a1 a1', 'a2'],
    ['never more of a tenant than allowed', 'a3 a4', 'a1 a1 a2', undefined],
    ['another tenant then', 'a3 b1', 'a1 a1 a2', 'b1'],
    ['a newcomer before the many of one tenant', 'a1 a2 a3 a4 b1', 'a1 a2', 'b1'],
    ['the tenant before the user', 'a3 b1', 'a1 b1 b1', 'a3'],
  ] as const) {
    it(`is ${sentence}`, () => {
      const index = nextTurn(people(waiting), people(underWay), limits);
      const chosen = index === undefined ? undefined : waiting.split(' ')[index];
      assert.equal(chosen, expected);
    });
  }
});

describe('turns', () => {
  const never = new AbortController().signal;
  const patient = { ...limits, waiting_per_user: 3, wait_ms: 60_000 };

  it('are given in order as others end', async () => {
    const turns = new Turns({ ...patient, slots: 1 });
    const order: string[] = [];
    const end = await turns.take(who('a1'), never);
    const queued = ['a2', 'b1', 'b2'].map(async (name) => {
      const done = await turns.take(who(name), never);
      order.push(name);
      done();
    });

    end();
    await Promise.all(queued);

    assert.deepEqual(order, ['a2', 'b1', 'b2']);
  });

  it('are refused to who has too many waiting, and to nobody else', async () => {
    const turns = new Turns({ ...patient, slots: 1 });
    const end = await turns.take(who('a1'), never);
    const queue = ['a1', 'a1', 'a1'].map((name) => turns.take(who(name), never));

    await assert.rejects(turns.take(who('a1'), never), { code: 'too_many_at_once' });
    queue.push(turns.take(who('b1'), never));

    end();
    await Promise.all(queue.map(async (turn) => (await turn)()));
  });

  it('are not given to who has gone, nor waited for without end', async () => {
    const turns = new Turns({ ...patient, slots: 1, wait_ms: 1 });
    const gone = new AbortController();
    await assert.rejects(turns.take(who('a1'), AbortSignal.abort()), {
      problem: 'too_many_requests',
    });
    const end = await turns.take(who('a1'), never);
    const left = turns.take(who('a2'), gone.signal);
    const late = turns.take(who('b1'), never);
    gone.abort();

    await assert.rejects(left, { problem: 'too_many_requests' });
    await assert.rejects(late, { problem: 'too_many_requests', retry_after_seconds: 5 });
    end();
    (await turns.take(who('c1'), never))();
  });
});
