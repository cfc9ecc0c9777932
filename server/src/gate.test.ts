import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Gate } from './gate.ts';

describe('a gate', () => {
  it('lets one through at a time, in the order they came, and names do not meet', async () => {
    const gate = new Gate();
    const seen: string[] = [];
    const pass = async (name: string, who: string) => {
      const leave = await gate.enter(name, 60_000);
      seen.push(`${who} in`);
      await Promise.resolve();
      seen.push(`${who} out`);
      leave?.();
    };

    await Promise.all([pass('a', '1'), pass('a', '2'), pass('a', '3')]);
    const mine = await gate.enter('a', 60_000);
    const other = await gate.enter('b', 60_000);

    assert.deepEqual(seen, ['1 in', '1 out', '2 in', '2 out', '3 in', '3 out']);
    assert.ok(mine && other);
  });

  it('does not let anybody wait for ever, nor those behind pass who is in', async () => {
    const gate = new Gate();
    const leave = await gate.enter('a', 60_000);
    const late = gate.enter('a', 1);
    const behind = gate.enter('a', 60_000);
    const seen: string[] = [];
    void behind.then(() => seen.push('behind'));

    assert.equal(await late, undefined);
    assert.deepEqual(seen, []);
    leave?.();
    assert.ok(await behind);
  });
});
