import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { makeDevices } from './devices.ts';

const keysOf = (secret: string) => ({
  derive: (use: string) => createHash('sha256').update(`${secret}|${use}`).digest(),
});
const issuer = () => 'https://cogworks.test/realms/cogworks';
const cookieOf = (header: string) => header.split('; ')[0] ?? '';
const year_ms = 365 * 86_400_000;

describe('the cookie of a device', () => {
  it('is known for the account that signed in, in any spelling, and for no other', () => {
    const devices = makeDevices(keysOf('a'), issuer);
    const cookie = `other=1; ${cookieOf(devices.remember(undefined, 'Ada@example.test'))}; x=2`;

    assert.ok(devices.recognise(cookie, 'ada@example.test '));
    assert.equal(devices.recognise(cookie, 'bo@example.test'), undefined);
    assert.equal(devices.recognise(undefined, 'ada@example.test'), undefined);
  });

  it('cannot be made up, changed, or taken from another installation', () => {
    const devices = makeDevices(keysOf('a'), issuer);
    const cookie = cookieOf(devices.remember(undefined, 'ada@example.test'));
    const foreign = cookieOf(
      makeDevices(keysOf('b'), issuer).remember(undefined, 'ada@example.test'),
    );
    const longer = cookie.replace(/\.[^.]+\./, '.zzzzzz.');

    for (const bad of [foreign, longer, `${cookie}A`, 'cogworks_device=a.zzzzzz.', `xx${cookie}`]) {
      assert.equal(devices.recognise(bad, 'ada@example.test'), undefined, bad);
    }
  });

  it('ends after a year', () => {
    let now = Date.now();
    const devices = makeDevices(keysOf('a'), issuer, () => now);
    const cookie = cookieOf(devices.remember(undefined, 'ada@example.test'));

    now += year_ms - 1000;
    assert.ok(devices.recognise(cookie, 'ada@example.test'));
    now += 2000;
    assert.equal(devices.recognise(cookie, 'ada@example.test'), undefined);
  });

  it('remembers the last few accounts of a shared browser', () => {
    const devices = makeDevices(keysOf('a'), issuer);
    let cookie = '';
    for (const account of ['a', 'b', 'c', 'b', 'd', 'e']) {
      cookie = cookieOf(devices.remember(cookie, account));
    }

    const known = ['a', 'b', 'c', 'd', 'e'].filter((account) => devices.recognise(cookie, account));
    assert.deepEqual(known, ['b', 'c', 'd', 'e']);
  });

  it('goes to the pages of the sign-in only, over https where they are', () => {
    const header = makeDevices(keysOf('a'), issuer).remember(undefined, 'a');
    assert.match(header, /; path=\/realms\/cogworks; max-age=\d+; samesite=lax; secure; httponly$/);
    const plain = makeDevices(keysOf('a'), () => 'http://localhost:8080/realms/cogworks');
    assert.doesNotMatch(plain.remember(undefined, 'a'), /secure/);
  });
});
