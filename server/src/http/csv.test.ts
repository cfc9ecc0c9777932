import assert from 'node:assert/strict';
import { it } from 'node:test';
import { csvOf } from './csv.ts';

it('a text of a CSV file is none that a spreadsheet would run', () => {
  for (const text of ['=1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x']) {
    const line = csvOf(undefined, [[text]]);
    assert.ok(line.startsWith("'") || line.startsWith('"\''), line);
  }
  assert.equal(csvOf(['a'], [[-1], ['a=1'], [undefined]]), 'a\r\n-1\r\na=1\r\n\r\n');
});
