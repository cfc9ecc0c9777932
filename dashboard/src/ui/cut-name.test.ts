import { describe, expect, it } from 'vitest';
import { cutName } from './cut-name.ts';

describe('cutName', () => {
  it('leaves a short name as it is', () => {
    expect(cutName('notes.txt')).toEqual(['notes.txt', '']);
    expect(cutName('')).toEqual(['', '']);
  });

  it('keeps the extension with the last characters before it', () => {
    expect(cutName('scan_of_a_letter_page_0017.txt')).toEqual([
      'scan_of_a_letter_page',
      '_0017.txt',
    ]);
    expect(cutName('a folder without an extension')).toEqual(['a folder without an e', 'xtension']);
    expect(cutName('minutes. And what was said then')[1]).toBe('aid then');
    expect(cutName('.a-hidden-file-of-some-program')[1]).toBe('-program');
  });

  it('tears no character apart, and loses none', () => {
    const family = '👨‍👩‍👧‍👦';
    for (const name of [
      `${family.repeat(9)}.jpg`,
      `${'e\u0301'.repeat(30)}.png`,
      'x'.repeat(255),
    ]) {
      const [start, end] = cutName(name);
      expect(start + end).toBe(name);
    }
    expect(cutName(`${family.repeat(9)}.jpg`)[1]).toBe(`${family}.jpg`);
  });
});
