import type { WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../../api.ts';
import { startAfter } from './start-after.ts';

const input = (cog_id: number) => ({
  ...{ id: cog_id, cog_id, direction: 'input' as const, name: `${cog_id}.txt` },
  ...{ size_bytes: 1, checksum_sha256: 'a', status: 'success' as const },
});

const run: Run = {
  ...{ id: 7, workflow_id: 1, workflow_version_id: 2, status: 'failure', started_by: 1 },
  ...{ extra_variables: { width: 280 }, keep_results: true, on_failure: 'abort', priority: 'high' },
  ...{ test_run: false, created_at: '2026-11-01T00:00:00.000Z', node_runs: [] },
  run_files: [input(1), input(2), { ...input(3), direction: 'output' }],
};

function stage(refusal?: ApiError) {
  const start = vi.spyOn(api, 'startRun').mockResolvedValue({ workflow_run_id: 8 } as never);
  vi.spyOn(api, 'getCog').mockImplementation((async () => {
    if (refusal) throw refusal;
  }) as never);
  return () => start.mock.calls[0]?.[0].body;
}

const keyOf = () => 'key';
afterEach(() => vi.restoreAllMocks());

describe('a run after a failure', () => {
  it('is as the failed one and takes over what worked', async () => {
    const body = stage();
    await startAfter({ ...run, max_credits: 5, until: 'read', output_parent_id: 9 }, { keyOf });
    expect(body()).toEqual({
      ...{ cog_ids: [1, 2], extra_variables: { width: 280 }, reuse_from_run_id: 7 },
      ...{ priority: 'high', on_failure: 'abort', keep_results: true, output_parent_id: 9 },
      ...{ max_credits: 5, until: 'read' },
    });
  });

  it('leaves out a file that is skipped', async () => {
    const body = stage();
    await startAfter(run, { keyOf, without: 2 });
    expect(body()?.cog_ids).toEqual([1]);
  });

  it('puts its outputs where they usually go if the folder is gone', async () => {
    const body = stage(new ApiError(404, { detail: 'There is no such file or folder.' }));
    await startAfter({ ...run, output_parent_id: 9 }, { keyOf });
    expect(body()).not.toHaveProperty('output_parent_id');
  });

  it('leaves it to the service to refuse a folder that may not be seen any more', async () => {
    const body = stage(new ApiError(403, { detail: 'You have no access to this item.' }));
    await startAfter({ ...run, output_parent_id: 9 }, { keyOf });
    expect(body()?.output_parent_id).toBe(9);
  });

  it('is not started while it is not known whether the folder is there', async () => {
    const body = stage(new ApiError(503, { detail: 'Not at this moment.' }));
    const started = startAfter({ ...run, output_parent_id: 9 }, { keyOf });
    await expect(started).rejects.toThrow('Not at this moment.');
    expect(body()).toBeUndefined();
  });
});
