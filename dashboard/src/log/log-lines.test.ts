import { describe, expect, it } from 'vitest';
import { LogLines, mostOfLine } from './log-lines.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function logOf(...pieces: string[]) {
  const log = new LogLines();
  for (const piece of pieces) log.append(bytes(piece));
  return log;
}
const texts = (log: LogLines) => log.lines(0, log.count).map(({ text }) => text);

describe('the lines of a log', () => {
  it('are the same wherever its pieces are cut, also within a character', () => {
    const whole = bytes('one\nzwölf €\n\nlast');
    for (let at = 0; at <= whole.length; at++) {
      const log = new LogLines();
      log.append(whole.slice(0, at));
      log.append(whole.slice(at));
      expect(texts(log)).toEqual(['one', 'zwölf €', '', 'last']);
    }
  });

  it('do not count an empty one after the last newline, nor in an empty log', () => {
    expect(logOf('a\nb\n').count).toBe(2);
    expect(logOf().count).toBe(0);
    expect(logOf('\n').count).toBe(1);
  });

  it('are folded beyond 10 kB, and a progress is shown as it was last', () => {
    const log = logOf(`${'x'.repeat(25_000)}\n`, `${'50 %\r'.repeat(9000)}100 %\r\nend`);
    expect(log.lines(0, 2)).toEqual([
      { text: 'x'.repeat(mostOfLine), folded: 15_000 },
      { text: '100 %', folded: 0 },
    ]);
  });
});

describe('looking in a log', () => {
  it('finds all lines, in any case and through colours', () => {
    const log = logOf('Error one\nfine\n\u001b[31mER\u001b[0mROR two\n', 'an error\n');
    expect([...log.find('error')]).toEqual([0, 2, 3]);
    expect([...log.find('')]).toEqual([]);
  });

  it('finds what is beyond the fold, and counts a hundred thousand lines', () => {
    const log = logOf(`${'x'.repeat(20_000)}needle\n`, 'a line\nneedle\n'.repeat(50_000));
    expect(log.find('needle').length).toBe(50_001);
  });

  it('knows the first line that tells of an error', () => {
    expect(
      logOf('start\n0 errors\nTraceback (most recent call last):\nerror\n').state.firstError,
    ).toBe(2);
    expect(logOf('start\nall is well\n').state.firstError).toBeUndefined();
    expect(logOf('ok\n'.repeat(10_000), 'fatal: gone\n').state.firstError).toBe(10_000);
  });
});

it('gives its text without styles, or that of some lines', () => {
  const log = logOf('\u001b[1ma\u001b[0m\nb\nc');
  expect(log.text()).toBe('a\nb\nc');
  expect(log.text(Uint32Array.of(0, 2))).toBe('a\nc');
});
