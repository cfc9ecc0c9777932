import { expect, it } from 'vitest';
import { isCut, noLog, plainText, textOf, withAnswer, withPiece } from './log-tail.ts';

it('leaves out what is meant for a terminal', () => {
  expect(plainText('\u001B[31mred\u001B[0m \u001B]8;;javascript:x\u0007link\u001B]8;;\u0007')).toBe(
    'red link',
  );
  expect(plainText('10 %\r20 %\r\na\tb')).toBe('20 %\na\tb');
});

it('spells what would turn the text around', () => {
  expect(plainText('\u202Efdp.exe')).toBe('\u27E8U+202E\u27E9fdp.exe');
});

it('keeps the end of a long log, in whole lines, and letters that came in two pieces', async () => {
  const line = `${'x'.repeat(99)}\n`;
  const long = await withAnswer(noLog, new Response(line.repeat(10_000)));
  expect(long.bytes).toBe(1_000_000);
  expect(isCut(long)).toBe(true);
  expect(textOf(long)).toBe(line.repeat(655));
  const bytes = new TextEncoder().encode('f\u00FCr');
  const two = withPiece(withPiece(noLog, bytes.subarray(0, 2)), bytes.subarray(2));
  expect(textOf(two)).toBe('f\u00FCr');
});
