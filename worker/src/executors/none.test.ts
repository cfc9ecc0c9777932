import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorkOrder } from '@cogworks/sdk/contract.gen';
import type { ExecutionHooks } from '../executor.ts';
import { noExecutor } from './none.ts';

const neverCalled = () => assert.fail('nothing is run, so there is nothing to tell');
const hooks: ExecutionHooks = {
  onStarted: neverCalled,
  onLog: neverCalled,
  onProgress: neverCalled,
  openUploads: neverCalled,
};

describe('the executor that runs nothing', () => {
  it('reports success without outputs, and without the exit code of a program', async () => {
    const report = await noExecutor.execute({} as WorkOrder, hooks, new AbortController().signal);

    assert.deepEqual(report, { status: 'success' });
  });

  it('reports what was stopped before as cancelled', async () => {
    const report = await noExecutor.execute({} as WorkOrder, hooks, AbortSignal.abort());

    assert.deepEqual(report, { status: 'cancelled' });
  });
});
