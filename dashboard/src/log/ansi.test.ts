import { describe, expect, it } from 'vitest';
import { plainText, spansOf } from './ansi.ts';

const esc = '\u001b';
const text = (line: string) =>
  spansOf(line)
    .map((span) => span.text)
    .join('');

describe('spansOf', () => {
  it('gives text its colours and styles until they are taken back', () => {
    expect(spansOf(`a ${esc}[1;31mred${esc}[22m thin${esc}[0m end`)).toEqual([
      { text: 'a ', style: {} },
      { text: 'red', style: { bold: true, fg: 1 } },
      { text: ' thin', style: { fg: 1 } },
      { text: ' end', style: {} },
    ]);
  });

  it('knows the 256 colours and those by their parts', () => {
    expect(spansOf(`${esc}[38;5;9;48;5;196mx`)[0]?.style).toEqual({ fg: 9, bg: 'rgb(255 0 0)' });
    expect(spansOf(`${esc}[38;2;1;2;300mx`)[0]?.style).toEqual({ fg: 'rgb(1 2 255)' });
    expect(spansOf(`${esc}[38;5;244mx`)[0]?.style).toEqual({ fg: 'rgb(128 128 128)' });
  });

  it('shows a link as its text alone, whatever it leads to', () => {
    expect(text(`${esc}]8;;javascript:alert(1)${esc}\\click${esc}]8;;${esc}\\ here`)).toBe(
      'click here',
    );
    expect(text(`${esc}]0;title\u0007after`)).toBe('after');
    expect(text(`${esc}]8;;http://never-ended`)).toBe('');
  });

  it('leaves out what moves the cursor or clears the screen', () => {
    expect(text(`${esc}[2J${esc}[1;1H${esc}[?25lhello${esc}[K${esc}(B${esc}=`)).toBe('hello');
    expect(text(`\u009b31mred`)).toBe('red');
  });

  it('shows of a line that was written over what was written last', () => {
    expect(text('10 %\r50 %\r100 %')).toBe('100 %');
    expect(text('done\r')).toBe('done');
    expect(text('a\bbold')).toBe('bold');
  });

  it('spells out what cannot be seen', () => {
    expect(text('a\u0000b\u007f\tc')).toBe('a\u2400b\u2421\tc');
    expect(spansOf('x\u202egpj.exe')).toEqual([
      { text: 'x', style: {} },
      { text: '\u27e8U+202E\u27e9', style: { mark: true } },
      { text: 'gpj.exe', style: {} },
    ]);
    expect(text('a\u2066b\u061cc\u2028d')).toBe(
      'a\u27e8U+2066\u27e9b\u27e8U+061C\u27e9c\u27e8U+2028\u27e9d',
    );
    expect(text(`lone ${esc}`)).toBe('lone ');
  });

  it('keeps markup as text', () => {
    expect(spansOf('<img src=x onerror=alert(1)>')).toEqual([
      { text: '<img src=x onerror=alert(1)>', style: {} },
    ]);
  });
});

it('takes no longer for a line of returns than for one of letters', () => {
  expect(plainText(`${'\r'.repeat(500_000)}x`)).toBe('x');
});

it('looks for the text alone', () => {
  expect(plainText(`${esc}[31mer${esc}[0mror\u200e`)).toBe('error');
});
