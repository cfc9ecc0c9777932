import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { checkSignature, isSecret, newSecret, type Preset, signedHeaders } from './signatures.ts';

const now = new Date('2027-01-31T12:00:00Z');
const seconds = Math.floor(now.getTime() / 1000);

const check = (
  preset: Preset,
  headers: Record<string, string>,
  body: string | Uint8Array,
  ...secrets: string[]
) =>
  checkSignature(
    preset,
    { header: (name) => headers[name], body: typeof body === 'string' ? Buffer.from(body) : body },
    secrets,
    now,
  );

/** As the library of Standard Webhooks signs. */
function standard(secret: string, body: string, { id = 'msg_1', at = seconds } = {}) {
  const signature = new Webhook(secret).sign(id, new Date(at * 1000), body);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signature,
  };
}

const hmac = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest('hex');

describe('a message of Standard Webhooks', () => {
  const secret = newSecret();
  const body = '{"a": "é \u{fffd}"}';

  it('is accepted as its library signs it, for five minutes', () => {
    for (const at of [seconds - 300, seconds, seconds + 300]) {
      assert.deepEqual(check('standard', standard(secret, body, { at }), body, secret), {
        message_id: 'msg_1',
      });
    }
    for (const at of [seconds - 301, seconds + 301]) {
      assert.equal(check('standard', standard(secret, body, { at }), body, secret), undefined);
    }
  });

  it('is accepted with either of two secrets, and with the right one of ten signatures', () => {
    const headers = standard(secret, body);
    assert.ok(check('standard', headers, body, newSecret(), secret));
    assert.equal(check('standard', headers, body, newSecret()), undefined);
    const other = standard(newSecret(), body)['webhook-signature'];
    const signatures = (count: number) =>
      [...Array(count - 1).fill(other), headers['webhook-signature']].join(' ');
    const given = (count: number) => ({ ...headers, 'webhook-signature': signatures(count) });
    assert.ok(check('standard', given(10), body, secret));
    assert.equal(check('standard', given(11), body, secret), undefined);
    assert.equal(check('standard', given(10_000), body, secret), undefined);
  });

  it('is refused when a byte of it is another', () => {
    const headers = standard(secret, body);
    const invalid = Buffer.from(body);
    // U+FFFD is what a decoder makes of an invalid byte.
    const at = invalid.indexOf(Buffer.from('\u{fffd}'));
    const swapped = Buffer.concat([
      invalid.subarray(0, at),
      Buffer.of(0xff),
      invalid.subarray(at + 3),
    ]);
    for (const other of [`${body}\n`, JSON.stringify(JSON.parse(body)), swapped]) {
      assert.equal(check('standard', headers, other, secret), undefined);
    }
  });

  it('is refused with an id or a time that could be read otherwise', () => {
    const sign = (id: string, time: string) => ({
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
        .update(`${id}.${time}.${body}`)
        .digest('base64')}`,
    });
    assert.ok(check('standard', sign('msg-1_A', String(seconds)), body, secret));
    for (const id of ['', 'a.b', 'é', 'x'.repeat(257)]) {
      assert.equal(check('standard', sign(id, String(seconds)), body, secret), undefined, id);
    }
    for (const time of [`${seconds}x`, ` ${seconds}`, `${seconds}.0`, '1.8e9', `-${seconds}`, '']) {
      assert.equal(check('standard', sign('msg', time), body, secret), undefined, time);
    }
  });

  it('is refused without a header, or with another version of the signature', () => {
    const headers: Record<string, string> = standard(secret, body);
    for (const name of Object.keys(headers)) {
      const { [name]: _, ...others } = headers;
      assert.equal(check('standard', others, body, secret), undefined, name);
    }
    const v1 = headers['webhook-signature'] ?? '';
    for (const signature of [v1.replace('v1,', 'v2,'), v1.slice(3), `${v1}x`, '']) {
      const given = { ...headers, 'webhook-signature': signature };
      assert.equal(check('standard', given, body, secret), undefined, signature);
    }
  });
});

describe('a message of', () => {
  const secret = 'a secret of sixteen or more'.replaceAll(' ', '-');
  const body = '{"id": "evt_1"}';

  it('GitHub is known by its body, because its id is not signed', () => {
    const sign = (text: string) => ({ 'x-hub-signature-256': `sha256=${hmac(secret, text)}` });
    const one = check('github', { ...sign(body), 'x-github-delivery': 'a' }, body, secret);
    const again = check('github', { ...sign(body), 'x-github-delivery': 'b' }, body, secret);
    const other = check('github', sign('{}'), '{}', secret);
    assert.ok(one?.message_id);
    assert.deepEqual(again, one);
    assert.notDeepEqual(other, one);
    assert.equal(check('github', sign(body), '{}', secret), undefined);
    assert.equal(check('github', { 'x-hub-signature-256': 'sha256=' }, body, secret), undefined);
  });

  it('Stripe may have several signatures, each of a version', () => {
    const sign = (t: number) => hmac(secret, `${t}.${body}`);
    const header = (value: string) => ({ 'stripe-signature': value });
    const wrong = hmac('another', body);
    const good = `t=${seconds},v0=${wrong},v1=${wrong},v1=${sign(seconds)}`;
    assert.deepEqual(check('stripe', header(good), body, secret), {});
    for (const bad of [
      `t=${seconds},v0=${sign(seconds)}`,
      `t=${seconds - 301},v1=${sign(seconds - 301)}`,
      `t=${seconds},t=${seconds},v1=${sign(seconds)}`,
      `v1=${sign(seconds)}`,
      '',
    ]) {
      assert.equal(check('stripe', header(bad), body, secret), undefined, bad);
    }
  });

  it('Slack has its time in a header of its own', () => {
    const sign = (time: number) => ({
      'x-slack-request-timestamp': String(time),
      'x-slack-signature': `v0=${hmac(secret, `v0:${time}:${body}`)}`,
    });
    assert.deepEqual(check('slack', sign(seconds), body, secret), {});
    assert.equal(check('slack', sign(seconds - 301), body, secret), undefined);
    assert.equal(
      check('slack', { ...sign(seconds), 'x-slack-request-timestamp': '1' }, body, secret),
      undefined,
    );
  });

  it('GitLab is one of Standard Webhooks', () => {
    const given = newSecret();
    assert.ok(check('gitlab', standard(given, body), body, given));
  });
});

describe('a message that goes out', () => {
  it('is accepted by the library of Standard Webhooks, by both secrets while they are rotated', () => {
    const [one, other] = [newSecret(), newSecret()];
    const body = '{"a": "é \u{1f642}"}';
    const headers = signedHeaders('msg_1', new Date(), body, [one, other]);
    for (const secret of [one, other]) new Webhook(secret).verify(body, headers);
    assert.throws(() => new Webhook(newSecret()).verify(body, headers));
    assert.throws(() => new Webhook(one).verify(`${body} `, headers));
  });
});

describe('a secret', () => {
  it('of Standard Webhooks has 24 to 64 bytes', () => {
    const of = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;
    for (const bytes of [24, 32, 64]) assert.ok(isSecret('standard', of(bytes)));
    for (const bytes of [0, 23, 65]) assert.ok(!isSecret('standard', of(bytes)));
    for (const other of [of(32).slice(6), `${of(32)}=`, `${of(32)}!`, '']) {
      assert.ok(!isSecret('standard', other), other);
    }
  });

  it('of others is a text', () => {
    assert.ok(isSecret('stripe', newSecret()));
    for (const other of ['', 'short', 'with a space and more', 'é'.repeat(20), 'x'.repeat(257)]) {
      assert.ok(!isSecret('github', other), other);
    }
  });
});

describe('a message that is refused', () => {
  it('takes as long whatever is wrong, so that nobody learns which addresses there are', () => {
    const body = Buffer.alloc(1024 * 1024, 'x');
    const signed = standard(newSecret(), '');
    const github = { 'x-hub-signature-256': `sha256=${hmac('x', '')}` };
    const time = (preset: Preset, headers: Record<string, string>, ...secrets: string[]) => {
      const start = performance.now();
      assert.equal(check(preset, headers, body, ...secrets), undefined);
      return performance.now() - start;
    };
    const [one, other] = [newSecret(), newSecret()];
    const ways = [
      () => time('standard', signed, one, other),
      () => time('standard', signed, one),
      () => time('standard', signed),
      () => time('standard', {}, one),
      () => time('standard', github),
      () => time('github', github, one),
      () => time('standard', standard(one, '', { at: 1 }), one),
    ];
    // The shortest of many: whatever else the machine does makes them longer.
    const shortest = ways.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < 25; round += 1)
      for (const [at, way] of ways.entries()) shortest[at] = Math.min(shortest[at] ?? 0, way());
    const ratio = Math.max(...shortest) / Math.min(...shortest);
    // A digest that is left out makes it a thousand times as quick.
    assert.ok(ratio < 3, `The slowest takes ${ratio} times as long as the quickest.`);
  });
});
