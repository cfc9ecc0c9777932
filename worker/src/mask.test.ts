import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maskSecrets } from './mask.ts';

const secret = 'pass/w"rd\nof two lines';

/** What is shown of these pieces, and what is shown before the end. */
function shown(pieces: string[], secrets = [secret]) {
  const mask = maskSecrets(secrets);
  const early = pieces.map((piece) => mask.push(Buffer.from(piece)).toString()).join('');
  return { early, all: early + mask.end().toString() };
}

describe('a mask', () => {
  it('takes out a secret in the forms programs write it', () => {
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      'of two lines',
    ];
    for (const form of forms) assert.equal(shown([`a ${form} b`]).all, 'a *** b');

    for (const before of ['', 'x', 'xy']) {
      const coded = Buffer.from(`${before}${secret}`).toString('base64');
      assert.match(shown([coded]).all, /^.{0,4}\*\*\*.{0,4}$/);
    }
  });

  it('takes out a secret that is cut in two, wherever', () => {
    const text = `a ${secret} b`;
    for (let at = 0; at <= text.length; at += 1) {
      assert.equal(shown([text.slice(0, at), text.slice(at)]).all, 'a *** b', `cut at ${at}`);
    }
    assert.equal(shown([...text]).all, 'a *** b');
  });

  it('shows at once what cannot be the beginning of a secret', () => {
    assert.equal(shown(['ready\n']).early, 'ready\n');
    assert.equal(shown(['the pas']).early, 'the ');
    assert.equal(shown(['the pas']).all, 'the pas');
  });

  it('leaves everything as it is without a secret worth hiding', () => {
    assert.equal(shown(['a short word'], ['short']).early, 'a short word');
  });
});
