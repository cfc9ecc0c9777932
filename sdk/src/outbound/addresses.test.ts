import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRange, type Range, rangeText, reachOf, without } from './addresses.ts';

const reaches: Record<string, string[]> = {
  public: ['1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
  loopback: ['127.0.0.1', '127.255.0.1', '::1', '[::1]', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  internal: [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
    ...['192.168.1.1', '192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['::', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '64:ff9b:1::1'],
    // IPv4 within IPv6: mapped, translated, 6to4, Teredo, compatible.
    ...['::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::1'],
    ...['2001:0:4136:e378:8000:63bf:3fff:fdd2', '::169.254.169.254'],
    // Text that some programs accept as an address.
    ...['0177.0.0.1', '2130706433', '0x7f.1', '127.1', '1.1.1.1.', 'localhost', '', '1:2', ':::'],
  ],
};

describe('an address', () => {
  for (const [reach, texts] of Object.entries(reaches)) {
    for (const text of texts) {
      it(`${JSON.stringify(text)} is ${reach}`, () => assert.equal(reachOf(text), reach));
    }
  }
});

describe('ranges', () => {
  const ranges = (...texts: string[]) => texts.map((text) => parseRange(text) as Range);

  it('are cut where others are taken out of them', () => {
    assert.deepEqual(without(ranges('10.0.0.0/8'), ranges('10.0.0.0/10')).map(rangeText), [
      '10.64.0.0/10',
      '10.128.0.0/9',
    ]);
    assert.deepEqual(without(ranges('10.0.0.0/8'), ranges('0.0.0.0/0')), []);
    assert.deepEqual(without(ranges('10.0.0.0/8'), ranges('11.0.0.0/8')).map(rangeText), [
      '10.0.0.0/8',
    ]);
  });

  it('are not read from what is none', () => {
    for (const text of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'x/8', '::/129'])
      assert.equal(parseRange(text), undefined);
  });
});
