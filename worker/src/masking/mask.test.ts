import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countSteps } from '../../../tools/count-steps.ts';
import { maskSecrets } from './mask.ts';

const secret = 'pass/w"rd+<ü>\nof two lines';
/** Long enough for every encoder that wraps lines to do so. */
const key = `k&y ${'0123456789 abcdef/+'.repeat(10)}`;

/** The output for these pieces, and the part shown before the end. */
function shown(pieces: (string | Buffer)[], secrets = [secret]) {
  const mask = maskSecrets(secrets);
  const early = pieces.map((piece) => mask.push(Buffer.from(piece)).toString()).join('');
  return { early, all: early + mask.end().toString() };
}

const each = (text: string, write: (byte: number) => string) =>
  [...Buffer.from(text)].map(write).join('');
const hexOf = (byte: number) => byte.toString(16).padStart(2, '0');
const isPlain = (byte: number) => /[\w.~-]/.test(String.fromCharCode(byte));
const percentOf = (byte: number, safe = '') =>
  isPlain(byte) || safe.includes(String.fromCharCode(byte))
    ? String.fromCharCode(byte)
    : `%${hexOf(byte).toUpperCase()}`;
const unicode = (text: string, write: (unit: string) => string) =>
  text.replace(/[^\w]/g, (character) => write(character.charCodeAt(0).toString(16)));
const wrapped = (text: string, width: number, by = '\n') =>
  text.replace(new RegExp(`.{${width}}(?=.)`, 'g'), `$&${by}`);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Encodings in which only the secret appears: all of it must be masked. */
const whole: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'in JSON of ASCII only, as Python writes it': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  'in JSON that is safe in HTML, as Go writes it': (text) =>
    JSON.stringify(text).slice(1, -1).replaceAll('<', '\\u003c').replaceAll('>', '\\u003E'),
  'in JSON with slashes escaped, as PHP writes it': (text) =>
    JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'in JSON within JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  'in a string with \\x': (text) => each(text, (byte) => `\\x${hexOf(byte)}`),
  'in a string with octal numbers': (text) =>
    each(text, (byte) => `\\${byte.toString(8).padStart(3, '0')}`),
  'in a string with \\u{}': (text) => unicode(text, (digits) => `\\u{${digits}}`),
  'in a string with \\U': (text) => unicode(text, (digits) => `\\U${digits.padStart(8, '0')}`),
  'quoted for a shell': (text) => text.replace(/[^\w\n]/g, '\\$&'),
  'by encodeURIComponent': encodeURIComponent,
  'by encodeURI': encodeURI,
  "by Python's quote, which leaves slashes": (text) => each(text, (byte) => percentOf(byte, '/')),
  "by Python's quote_plus": (text) => each(text, (byte) => percentOf(byte)).replaceAll('%20', '+'),
  'as a form': (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'as a URL with small letters': (text) =>
    each(text, (byte) => percentOf(byte)).replace(/%../g, (code) => code.toLowerCase()),
  'as a URL with everything encoded': (text) => each(text, (byte) => `%${hexOf(byte)}`),
  'in HTML': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;'),
  'in HTML by numbers': (text) => text.replace(/[&<>"/]/g, (unit) => `&#${unit.charCodeAt(0)};`),
  'in XML by hexadecimal numbers': (text) =>
    text.replace(/[^\w]/g, (unit) => `&#x${unit.charCodeAt(0).toString(16)};`),
  'with the line ends of Windows': (text) => text.replaceAll('\n', '\r\n'),
  'in hexadecimal digits': (text) => each(text, hexOf),
  'in large hexadecimal digits': (text) => each(text, hexOf).toUpperCase(),
  'in hexadecimal digits with colons': (text) => wrapped(each(text, hexOf), 2, ':'),
  'in hexadecimal digits with blanks': (text) => wrapped(each(text, hexOf), 2, ' '),
  'in hexadecimal digits of 60 a line': (text) => wrapped(each(text, hexOf), 60),
};

/** Encodings of a longer text: in base64, digits at both ends are shared with neighbours. */
const within: Record<string, (text: string) => string> = {
  'in base64': base64,
  'in base64 after one byte': (text) => base64(`x${text}y`),
  'in base64 after two bytes': (text) => base64(`xy${text}z`),
  'in base64 of URLs': (text) => Buffer.from(text).toString('base64url'),
  'in base64 of URLs after one byte': (text) => Buffer.from(`x${text}`).toString('base64url'),
  'in base64 of 76 digits a line': (text) => wrapped(base64(text), 76),
  'in base64 of 64 digits a line, after 40 bytes': (text) =>
    wrapped(base64('x'.repeat(40) + text), 64),
  'in base64 with the line ends of Windows': (text) => wrapped(base64(text), 76, '\r\n'),
  'in base64 indented in YAML': (text) => wrapped(base64(text), 76, '\n    '),
  'in base64 with lines within a string': (text) => wrapped(base64(text), 76, '\\n'),
  'in base64 within a URL': (text) => encodeURIComponent(base64(text)),
  'in base64 with slashes escaped': (text) => base64(text).replaceAll('/', '\\/'),
};

describe('a mask takes out a secret', () => {
  for (const [how, write] of Object.entries(whole)) {
    it(how, () => {
      for (const text of [secret, key]) {
        const all = shown([`a ${write(text)} b`], [text]).all;
        // Each line of a multi-line secret is masked too; the line ends may remain.
        assert.match(all, /^a \*\*\*((\\*[rn]|\s|%0[ad]|\+)*\*\*\*)* b$/i, all);
      }
    });
  }

  for (const [how, write] of Object.entries(within)) {
    it(how, () => {
      for (const text of [secret, key]) {
        const all = shown([write(text)], [text]).all;
        assert.match(all.replace(/^[x\w]{40,64}(?=.{0,8}\*)/, ''), /^.{0,16}\*\*\*.{0,6}$/s, all);
      }
    });
  }

  it('that is cut in two, wherever and however it is written', () => {
    for (const write of [...Object.values(whole), ...Object.values(within)]) {
      const text = `a ${write(secret)} b`;
      const { all } = shown([text]);
      for (let at = 0; at <= text.length; at += 1) {
        assert.equal(shown([text.slice(0, at), text.slice(at)]).all, all, `${text} cut at ${at}`);
      }
      assert.equal(shown([...text]).all, all);
    }
  });

  it('that is cut within a character', () => {
    const bytes = Buffer.from(`a ${secret} b`);
    for (let at = 0; at <= bytes.length; at += 1)
      assert.equal(shown([bytes.subarray(0, at), bytes.subarray(at)]).all, 'a *** b');
  });

  it('beside others, and one within another', () => {
    const secrets = ['first-secret', 'second', 'second-and-more'];
    assert.equal(
      shown(['a first-secret second-and-mor second-and-more'], secrets).all,
      'a *** ***-and-mor ***',
    );
  });
});

describe('a mask shows', () => {
  it('at once what cannot be the beginning of a secret', () => {
    assert.equal(shown(['ready\n']).early, 'ready\n');
    assert.equal(shown(['the pas']).early, 'the ');
    assert.equal(shown(['the pas']).all, 'the pas');
    assert.equal(shown([`a ${secret}`]).early, 'a ***');
    assert.equal(shown(['100 % and \\ and & done\n']).early, '100 % and \\ and & done\n');
  });

  it('everything else as it is', () => {
    const text = '%zz %%41 \\q \\u12 \\ud83d\\u0041 &amp &#x110000; +%2 \0\xff \\';
    assert.equal(shown([text]).all, text);
    assert.equal(shown([...text]).all, text);
    assert.equal(shown(['a short word'], ['short']).early, 'a short word');
  });

  it('what it is given in linear time, whatever secrets it looks for', async () => {
    const cases: [string, string][] = [
      ['a'.repeat(200), 'a'],
      [`${'a'.repeat(199)}b`, 'a'],
      ['%25'.repeat(60), '%25'],
      ['\\'.repeat(60), '\\'],
    ];
    for (const [text, unit] of cases) {
      const steps = (times: number) =>
        countSteps(() => shown([unit.repeat(times), unit.repeat(times)], [text]));
      const [some, twice] = [await steps(2000), await steps(4000)];
      assert.ok(twice < 2.2 * some, `${some}, then ${twice} steps for ${text.slice(0, 9)}`);
    }
  });
});
