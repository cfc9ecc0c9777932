import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectGarbage } from '../../server/test/garbage.ts';
import { anyOf } from './any-of.ts';
import { wait } from './wait.ts';

const never = new AbortController().signal;

describe('a signal for several', () => {
  it('stays aborted when nobody holds the one that aborted it any more', async () => {
    const stopped = () => {
      const controller = new AbortController();
      const signals = [
        anyOf(never, controller.signal),
        anyOf(anyOf(never, controller.signal), never),
      ];
      controller.abort('stop');
      return signals;
    };
    const signals = stopped();

    await collectGarbage();

    assert.deepEqual(
      signals.map(({ aborted, reason }) => [aborted, reason]),
      [
        [true, 'stop'],
        [true, 'stop'],
      ],
    );
  });

  it('aborts when the time is over of which nobody else knows', async () => {
    const signal = anyOf(never, AbortSignal.timeout(1));
    await collectGarbage();
    // Timers of one length end in the order in which they began.
    await wait(1);
    await collectGarbage();

    assert.equal(signal.reason?.name, 'TimeoutError');
  });

  it('is told of an abort at once, as whoever listens', async () => {
    const controller = new AbortController();
    const signal = anyOf(never, controller.signal);
    const waiting = assert.rejects(wait(60_000, signal), /stop/);

    controller.abort(new Error('stop'));

    assert.equal(signal.aborted, true);
    await waiting;
  });

  it('is not kept by those it follows, nor keeps them', async () => {
    const made = async () => {
      const { signal } = new AbortController();
      const either = anyOf(never, signal);
      await wait(0, either);
      return [new WeakRef(either), new WeakRef(signal)];
    };
    const refs = await made();

    await collectGarbage();
    await collectGarbage();

    assert.deepEqual(
      refs.map((ref) => ref.deref()),
      [undefined, undefined],
    );
  });

  it('is the one that is given, or none', () => {
    assert.equal(anyOf(never, undefined), never);
    assert.equal(anyOf(undefined), undefined);
  });
});
