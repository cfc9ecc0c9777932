import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBarrier, type Party } from './barrier.ts';

/** What happened, in order. */
function follow(parties: Party[]) {
  const events: string[] = [];
  const arrive = (at: number) =>
    parties[at]?.arrive().then(() => {
      events.push(`${at} goes on`);
    });
  return { events, arrive };
}

const soon = () => new Promise((go) => setImmediate(go));

describe('a barrier', () => {
  it('opens when all have arrived', async () => {
    const { events, arrive } = follow(openBarrier(3, 60_000));
    const both = [arrive(0), arrive(1)];
    await soon();
    assert.deepEqual(events, []);
    await Promise.all([...both, arrive(2)]);
    assert.equal(events.length, 3);
  });

  it('waits for none that has left, who goes on alone', async () => {
    const parties = openBarrier(3, 60_000);
    const { events, arrive } = follow(parties);
    parties[2]?.leave();
    parties[2]?.leave();
    await arrive(2);
    const first = arrive(0);
    await soon();
    assert.deepEqual(events, ['2 goes on']);
    await Promise.all([first, arrive(1)]);
    assert.equal(events.length, 3);
  });

  it('holds nobody longer than it may', async () => {
    const { arrive } = follow(openBarrier(2, 1));
    await arrive(0);
  });
});
