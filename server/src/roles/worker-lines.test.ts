import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workerLine } from './worker-lines.ts';

describe('a line of the worker', () => {
  it('is told on with its level and its fields', () => {
    assert.deepEqual(workerLine('{"level":"error","time":"now","msg":"no","attempt_id":7}'), {
      level: 'error',
      msg: 'no',
      fields: { attempt_id: 7 },
    });
  });

  const foreign = [
    'Error: out of memory',
    '{"level":"info","msg":"cut off in the mid',
    '{ code: 1 }',
    '',
  ];
  for (const line of foreign) {
    it(`is a warning as it stands where it is not the worker's own: ${line}`, () => {
      assert.deepEqual(workerLine(line), { level: 'warn', msg: line, fields: {} });
    });
  }

  it('never names what is not a level', () => {
    assert.equal(workerLine('{"level":"flush","msg":1}').level, 'info');
    assert.equal(workerLine('{"level":["error"]}').msg, '');
  });
});
