import { expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

it('spells out what turns or hides text, and nothing else', () => {
  expect(visibleText('a\u202egpj.exe')).toBe('a\u27e8U+202E\u27e9gpj.exe');
  expect(visibleText('one\ntwo')).toBe('one\u27e8U+000A\u27e9two');
  expect(visibleText('שלום.pdf naïve 家族 👨\u200d👩')).toBe('שלום.pdf naïve 家族 👨\u200d👩');
});
