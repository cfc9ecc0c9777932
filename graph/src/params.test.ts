import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSecret, paramFaults, secretParams } from './params.ts';

const params = {
  type: 'object',
  properties: {
    width: { type: 'integer', default: 800 },
    token: { type: 'string', 'x-secret': true },
  },
  required: ['width', 'token'],
};

describe('the params of a run', () => {
  const cases: [title: string, given: Record<string, unknown>, pointers: string[]][] = [
    ['may leave to the default what is required', { token: { $secret: 'T' } }, []],
    ['may not leave out what has no default', { width: 1 }, ['/token']],
    ['are judged by their values', { width: 'wide', token: { $secret: 'T' } }, ['/width']],
    ['never hold a secret in plain text', { token: 'hunter2' }, ['/token']],
    [
      'hold secrets only where they belong',
      { width: { $secret: 'T' }, token: { $secret: 'T' } },
      ['/width'],
    ],
  ];
  for (const [title, given, pointers] of cases) {
    it(title, () => {
      assert.deepEqual(
        paramFaults({ params }, given).map(({ pointer }) => pointer),
        pointers,
      );
    });
  }

  it('are free where the definition has no schema', () => {
    assert.deepEqual(paramFaults({ params: null }, { anything: 1 }), []);
  });

  it('know which of them are secret', () => {
    assert.deepEqual(secretParams(params), ['token']);
    assert.equal(isSecret({ $secret: 'T', more: 1 }), false);
  });
});
