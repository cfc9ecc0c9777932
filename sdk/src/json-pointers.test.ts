import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPointer, valueAt } from './json-pointers.ts';

/** The document of RFC 6901, section 5. */
const document = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

describe('a JSON pointer', () => {
  it('names what RFC 6901 says', () => {
    const examples: [string, unknown][] = [
      ['', document],
      ['/foo', ['bar', 'baz']],
      ['/foo/0', 'bar'],
      ['/', 0],
      ['/a~1b', 1],
      ['/c%d', 2],
      ['/e^f', 3],
      ['/g|h', 4],
      ['/i\\j', 5],
      ['/k"l', 6],
      ['/ ', 7],
      ['/m~0n', 8],
    ];
    for (const [pointer, value] of examples) {
      assert.ok(isPointer(pointer));
      assert.deepEqual(valueAt(document, pointer), value, pointer);
    }
  });

  it('names nothing that is not in the document itself', () => {
    const given = {
      list: [1, 2],
      text: 'abc',
      nothing: null,
      deep: JSON.parse('{"__proto__": 1}'),
    };
    const others = [
      '/__proto__/x',
      '/constructor',
      '/list/-',
      '/list/01',
      '/list/length',
      '/list/2',
    ];
    for (const pointer of [...others, '/text/0', '/text/length', '/nothing/x', '/absent/x']) {
      assert.equal(valueAt(given, pointer), undefined, pointer);
    }
    assert.equal(valueAt(given, '/deep/__proto__'), 1);
  });

  it('has its own syntax', () => {
    for (const text of ['foo', '/a~', '/a~2', '#/foo']) assert.ok(!isPointer(text), text);
  });
});
