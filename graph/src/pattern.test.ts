import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countSteps } from '../../tools/count-steps.ts';
import { compilePattern } from './pattern.ts';
import { seeded } from './random.ts';

const matches = (source: string, text: string) => {
  const pattern = compilePattern(source);
  assert.ok('matches' in pattern, `/${source}/ is refused`);
  return pattern.matches(text);
};

describe('a pattern of a user', () => {
  const sources = [
    'abc',
    '^a|b$',
    '^(?:a|bc)*d?$',
    '^[a-c\\d]{2,3}$',
    '^[^\\]x]+$',
    'a{0}b',
    '^a{2,}$',
    '^(a*)*$',
    '(?<year>\\d{4})-\\d\\d',
    '\\bcat\\b',
    'a\\Bb',
    '^.$',
    '^\\u{1F600}$',
    '^\\uD83D\\uDE00$',
    '^\\p{Lu}\\p{Ll}+$',
    '^\\x41\\t$',
    '',
    '^$',
    '()a+?',
    'a||b',
    '^\\.\\*$',
    '[\\]]',
  ];
  const texts = [
    '',
    'a',
    'b',
    'abc',
    'bcd',
    'aad',
    'aa',
    'aaa',
    '2024-05',
    'a cat',
    'concat',
  ].concat(['😀', 'Äpfel', 'Zebra', 'A\t', '.*', ']', 'x]', '\n', 'ab', '1c', 'bcbcd']);

  for (const source of sources) {
    it(`means what the runtime means by /${source}/`, () => {
      for (const text of texts) {
        assert.equal(matches(source, text), new RegExp(source, 'u').test(text), `on "${text}"`);
      }
    });
  }

  it('means what the runtime means, for 2,000 random patterns', () => {
    const random = seeded(7);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const write = (depth: number): string => {
      const atom = () =>
        depth > 0 && random() < 0.4
          ? `(${write(depth - 1)})`
          : pick(['a', 'b', '.', '[ab]', '[^a]', '\\b']);
      const term = () => {
        const single = atom();
        return single === '\\b'
          ? single
          : single + pick(['', '', '*', '+', '?', '{2}', '{1,2}', '{0,}']);
      };
      const sequence = Array.from({ length: 1 + Math.floor(random() * 3) }, term).join('');
      return random() < 0.3 ? `${sequence}|${term()}` : sequence;
    };
    for (let round = 0; round < 2000; round++) {
      const source = `${pick(['^', ''])}(?:${write(2)})${pick(['$', ''])}`;
      if (source.length > 200) continue;
      for (const text of ['', 'a', 'ab', 'ba b', 'aab', 'bbaa', 'c']) {
        assert.equal(
          matches(source, text),
          new RegExp(source, 'u').test(text),
          `/${source}/ on "${text}"`,
        );
      }
    }
  });

  for (const source of ['^(a+)+$x', '^(a|a)*b', 'a*a*a*a*a*a*b', '(.*)*c']) {
    it(`takes linear time where the runtime would take years: /${source}/`, async () => {
      const steps = (length: number) => countSteps(() => matches(source, 'a'.repeat(length)));

      assert.equal(matches(source, 'a'.repeat(10_000)), false);
      const [some, twice] = [await steps(1000), await steps(2000)];
      assert.ok(twice < 2.1 * some, `${some}, then ${twice} steps`);
    });
  }

  const refused = {
    '(a': /not a regular/,
    '(?=a)b': /ahead or behind/,
    '(?<!a)b': /ahead or behind/,
    '(a)\\1': /refers to its groups/,
    '((a{99}){99}){99}': /repeats too much/,
    '(((){9999}){9999}){9999}': /repeats too much/,
    '((a{0}){9999}){9999}': /repeats too much/,
    ['a'.repeat(201)]: /200 characters/,
  };
  for (const [source, message] of Object.entries(refused)) {
    it(`is refused with a reason: /${source.slice(0, 20)}/`, () => {
      const pattern = compilePattern(source);
      assert.ok('fault' in pattern);
      assert.match(pattern.fault, message);
    });
  }
});
