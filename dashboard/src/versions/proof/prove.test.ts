import type { WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../api.ts';
import { type ProofState, prove } from './prove.ts';

/** How each run ends, by its id; one without an end goes on until nobody watches it. */
const ends = new Map<number, string>();

vi.mock('@cogworks/sdk/runs', () => ({
  withAllFiles: async (_: unknown, run: unknown) => run,
  async *watchRun(_: unknown, id: number, { signal }: { signal: AbortSignal }) {
    const status = ends.get(id) ?? 'running';
    yield { run: { id, status, run_files: [], node_runs: [] }, progress: {} };
    if (status !== 'running') return;
    await new Promise((_, failed) => {
      signal.addEventListener('abort', () => failed(signal.reason));
    });
  },
}));

let versions = 0;

function stage() {
  const [published, draft] = [++versions, ++versions];
  let started = 0;
  const startRun = vi.spyOn(api, 'startRun').mockImplementation((async () => {
    started += 1;
    return { workflow_run_id: started };
  }) as never);
  const cancelRun = vi.spyOn(api, 'cancelRun').mockResolvedValue({} as never);
  const gone = new AbortController();
  const onNotCancelled = vi.fn();
  let state: ProofState | undefined;
  const version = (id: number) =>
    ({ id, variables: [], input_count: 1 }) as unknown as WorkflowVersion;
  return {
    published,
    draft,
    startRun,
    gone,
    cancelRun,
    notCancelled: () => onNotCancelled.mock.calls.map(([id]) => id),
    state: () => state,
    starts: () =>
      startRun.mock.calls.map(([{ path, body }]) => [path.version_id, body.reuse_from_run_id]),
    cancelled: () => cancelRun.mock.calls.map(([{ path }]) => path.run_id),
    prove: () =>
      prove({
        before: version(published),
        now: version(draft),
        sample: { cog_ids: [7], variables: {} },
        onChange: (now) => {
          state = now;
        },
        onNotCancelled,
        signal: gone.signal,
      }),
  };
}

afterEach(() => {
  ends.clear();
  vi.restoreAllMocks();
});

describe('a proof', () => {
  it('runs the published version, then the draft, which takes over from it', async () => {
    const { published, draft, starts, prove, state, startRun, cancelled } = stage();
    ends.set(1, 'success').set(2, 'failure');
    await prove();
    expect(starts()).toEqual([
      [published, undefined],
      [draft, 1],
    ]);
    expect(startRun.mock.calls[0]?.[0].body).toEqual({ cog_ids: [7], keep_results: false });
    expect([state()?.before.status, state()?.now.status]).toEqual(['success', 'failure']);
    expect(cancelled()).toEqual([]);
  });

  it('takes over from the proof before it, or does without', async () => {
    const { published, draft, starts, prove, startRun } = stage();
    for (const id of [1, 2, 3, 4]) ends.set(id, 'success');
    await prove();
    startRun.mockRejectedValueOnce(new ApiError(404, {}));
    await prove();
    expect(starts().slice(2)).toEqual([
      [published, 1],
      [published, undefined],
      [draft, 3],
    ]);
  });

  it('ends with a run that was cancelled', async () => {
    const { prove, state } = stage();
    ends.set(1, 'cancelled');
    expect(await prove()).toBe(false);
    expect(state()?.now.status).toBe('waiting');
    ends.set(2, 'success').set(3, 'cancelled');
    expect(await prove()).toBe(false);
    ends.set(4, 'success').set(5, 'success');
    expect(await prove()).toBe(true);
  });

  it('ends with a run that cannot start', async () => {
    const { prove, state, startRun, starts } = stage();
    const refusal = new ApiError(403, {});
    startRun.mockRejectedValueOnce(refusal);
    await prove();
    expect(state()?.before.error).toBe(refusal);
    expect(starts()).toHaveLength(1);
  });

  it('that nobody waits for any more cancels what is under way', async () => {
    const { prove, gone, cancelled, starts, state } = stage();
    ends.set(1, 'success');
    const done = prove();
    await vi.waitFor(() => expect(state()?.now.status).toBe('running'));
    gone.abort();
    await done;
    expect(cancelled()).toEqual([2]);
    expect(starts()).toHaveLength(2);
  });

  it('cancels also what was being started', async () => {
    const { prove, gone, cancelled, starts } = stage();
    const done = prove();
    gone.abort();
    await done;
    expect(cancelled()).toEqual([1]);
    expect(starts()).toHaveLength(1);
  });

  it.each([
    ['tells of a run that could not be cancelled', new ApiError(503, {}), [1]],
    ['tells nothing of one that had ended meanwhile', new ApiError(409, {}), []],
  ])('%s', async (_, refusal, told) => {
    const { prove, gone, cancelRun, notCancelled } = stage();
    cancelRun.mockRejectedValue(refusal);
    const done = prove();
    gone.abort();
    await done;
    expect(notCancelled()).toEqual(told);
  });

  it('that is left starts nothing again', async () => {
    const { prove, gone, starts, startRun } = stage();
    ends.set(1, 'success').set(2, 'success');
    await prove();
    startRun.mockRejectedValueOnce(new ApiError(404, {}));
    const done = prove();
    gone.abort();
    await done;
    expect(starts()).toHaveLength(3);
  });
});
