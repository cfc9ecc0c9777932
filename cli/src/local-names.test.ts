import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localName, type NameRules, namesIn } from './local-names.ts';

const posix: NameRules = { isWindows: false, ignoresCase: false };
const windows: NameRules = { isWindows: true, ignoresCase: true };

describe('localName', () => {
  it('never leads out of a folder', () => {
    const names = ['..', '.', '', '/etc/passwd', '../up', 'a/../../b', 'a\0b', 'line\nbreak'];
    assert.deepEqual(
      names.map((name) => localName(name, posix)),
      ['_', '_', '_', '_etc_passwd', '.._up', 'a_.._.._b', 'a_b', 'line_break'],
    );
  });

  it('keeps what Unix takes as it is', () => {
    for (const name of ['a b.txt', '...', '.hidden', 'C:\\x', 'con', 'ü 漢', 'a. ']) {
      assert.equal(localName(name, posix), name);
    }
  });

  it('changes what Windows reserves', () => {
    const names = ['..\\up', 'C:\\x', 'con', 'NUL.txt', 'com1', 'console', 'a. ', 'what?*', '...'];
    assert.deepEqual(
      names.map((name) => localName(name, windows)),
      ['.._up', 'C__x', '_con', '_NUL.txt', '_com1', 'console', 'a__', 'what__', '___'],
    );
  });
});

describe('namesIn', () => {
  it('numbers what would be the same file', () => {
    const names = ['A.txt', 'a.txt', 'a (2).txt', 'é', 'É', 'x:y', 'x?y'];
    assert.deepEqual(names.map(namesIn(windows)), [
      'A.txt',
      'a (2).txt',
      'a (3).txt',
      'é',
      'É (2)',
      'x_y',
      'x_y (2)',
    ]);
    assert.deepEqual(names.map(namesIn(posix)), names);
  });
});
