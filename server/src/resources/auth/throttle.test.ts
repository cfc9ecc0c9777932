import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Guess, makeThrottle, type Throttle } from './throttle.ts';

const from = (address: string, device?: string): Guess => ({
  account: 'ada@example.test',
  address,
  device,
});

/** Guesses `count` times. @returns how many were let through. */
async function guesses(throttle: Throttle, guess: Guess, count: number): Promise<number> {
  let passed = 0;
  for (let n = 0; n < count; n += 1) if ((await throttle.guess(guess)) === 0) passed += 1;
  return passed;
}

describe('guessing at one account', () => {
  it('ends at ten from one address, for everybody who has never signed in there', async () => {
    const throttle = makeThrottle();

    assert.equal(await guesses(throttle, from('192.0.2.1'), 15), 10);
    assert.equal(
      await guesses(throttle, { ...from('192.0.2.1'), account: ' ADA@example.test' }, 1),
      0,
    );
    assert.equal(
      await guesses(throttle, { ...from('192.0.2.1'), account: 'bo@example.test' }, 1),
      1,
    );
  });

  it('leaves room at another address, however many have guessed', async () => {
    const throttle = makeThrottle();
    for (let n = 1; n <= 7; n += 1) await guesses(throttle, from(`198.51.${n}.1`), 10);

    assert.equal(await guesses(throttle, from('203.0.113.1'), 5), 2);
  });

  it('by refused guesses closes nothing for others', async () => {
    const throttle = makeThrottle();
    await guesses(throttle, from('192.0.2.1'), 2000);

    assert.equal(await guesses(throttle, from('203.0.113.1'), 5), 5);
    assert.equal(
      await guesses(throttle, { ...from('192.0.2.1'), account: 'bo@example.test' }, 1),
      1,
    );
  });

  it('from a network with many addresses counts as one', async () => {
    for (const address of [(n: number) => `192.0.2.${n}`, (n: number) => `2001:db8:1:${n}::1`]) {
      const throttle = makeThrottle();
      let passed = 0;
      for (let n = 1; n <= 100; n += 1) passed += await guesses(throttle, from(address(n)), 10);

      assert.equal(passed, 30);
      assert.equal(await guesses(throttle, from('203.0.113.1'), 1), 1);
    }
  });

  it('from ever so many networks ends at three hundred, and then only for new devices', async () => {
    const throttle = makeThrottle();
    let passed = 0;
    for (let n = 0; n < 400; n += 1) {
      passed += await guesses(throttle, from(`10.${n >> 8}.${n & 255}.1`), 10);
    }

    assert.equal(passed, 300);
    assert.equal(await guesses(throttle, from('203.0.113.1'), 1), 0);
    assert.equal(await guesses(throttle, from('203.0.113.1', 'known'), 15), 10);
    assert.equal(await guesses(throttle, from('203.0.113.1', 'another'), 1), 1);
  });

  it('counts those at the same moment one by one', async () => {
    const throttle = makeThrottle();

    const waits = await Promise.all(
      Array.from({ length: 50 }, () => throttle.guess(from('192.0.2.1'))),
    );

    assert.equal(waits.filter((wait_s) => wait_s === 0).length, 10);
  });

  it('starts anew where the right password came, and only there', async () => {
    const throttle = makeThrottle();
    await guesses(throttle, from('192.0.2.1'), 9);
    await guesses(throttle, from('198.51.100.1'), 9);
    assert.equal(await throttle.guess(from('192.0.2.1')), 0);
    await throttle.forgive(from('192.0.2.1'));

    assert.equal(await guesses(throttle, from('192.0.2.1'), 15), 10);
    assert.equal(await guesses(throttle, from('198.51.100.1'), 15), 1);
  });

  it('is not counted when nobody looked at the password, and forgets nothing either', async () => {
    const throttle = makeThrottle();
    await guesses(throttle, from('192.0.2.1'), 9);
    for (let n = 0; n < 20; n += 1) {
      assert.equal(await throttle.guess(from('192.0.2.1')), 0);
      await throttle.takeBack(from('192.0.2.1'));
    }

    assert.equal(await guesses(throttle, from('192.0.2.1'), 15), 1);
  });
});

describe('work that hashes', () => {
  it('is done one at a time for new devices, with a line that ends somewhere', async () => {
    const throttle = makeThrottle();
    const { promise: open, resolve: release } = Promise.withResolvers<void>();
    let underWay = 0;
    let most = 0;
    const work = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await open;
      underWay -= 1;
      return true;
    };

    const all = Array.from({ length: 100 }, () => throttle.inTurn({ device: undefined }, work));
    const known = await throttle.inTurn({ device: 'known' }, async () => 'at once');
    release();
    const answers = await Promise.all(all);

    assert.equal(known, 'at once');
    assert.equal(most, 1);
    assert.equal(answers.filter((answer) => answer === true).length, 40);
    assert.equal(answers.filter((answer) => answer === undefined).length, 60);
    assert.equal(await throttle.inTurn({ device: undefined }, work), true);
  });

  it('that fails holds up nobody', async () => {
    const throttle = makeThrottle();
    const failing = throttle.inTurn({ device: 'a' }, () => Promise.reject(new Error('no')));

    await assert.rejects(failing, /no/);
    assert.equal(await throttle.inTurn({ device: 'a' }, async () => 1), 1);
  });
});
