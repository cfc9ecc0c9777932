import { setNodeField } from '@cogworks/graph/edit/edits';
import { graph, node } from '@cogworks/graph/examples';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../../api.ts';
import { createTester } from './tester.ts';

type Moment = { status: string; node_runs: { node_key: string; status: string }[] };

/** What each run tells, by its id; nothing follows until somebody stops watching. */
const moments = new Map<number, Moment>();

vi.mock('@cogworks/sdk/runs', () => ({
  isTerminal: (status: string) => status === 'success',
  async *watchRun(_: unknown, id: number, { signal }: { signal: AbortSignal }) {
    const moment = moments.get(id);
    yield { run: { run_files: [], ...moment } };
    if (moment?.status === 'success') return;
    await new Promise((_, failed) => {
      signal.addEventListener('abort', () => failed(signal.reason));
    });
  },
}));

const start = graph([node('a', 1), node('b', 1)], ['files > a.in']);

function stage(save: () => Promise<boolean> = async () => true) {
  let started = 0;
  const startRun = vi.spyOn(api, 'startRun').mockImplementation((async () => {
    started += 1;
    return { workflow_run_id: started };
  }) as never);
  const tester = createTester({ versionId: 1, workflowId: 1, save });
  const statuses = () =>
    [...tester.store.get().tested].map(([key, { runs }]) => `${key} ${runs[0]?.status}`);
  return { tester, startRun, statuses };
}

beforeEach(() => moments.clear());
afterEach(() => vi.restoreAllMocks());

describe('a test', () => {
  it('that another one follows leaves no step that seems to run for ever', async () => {
    const { tester, statuses } = stage();
    moments.set(1, {
      status: 'running',
      node_runs: [
        { node_key: 'a', status: 'success' },
        { node_key: 'b', status: 'running' },
      ],
    });
    moments.set(2, { status: 'success', node_runs: [{ node_key: 'a', status: 'success' }] });
    void tester.start('b', () => start);
    await vi.waitFor(() => expect(statuses()).toEqual(['a success', 'b running']));
    await tester.start('a', () => start);
    expect(statuses()).toEqual(['a success']);
  });

  it('is of the graph and the sample that were sent, whatever changes meanwhile', async () => {
    let now = start;
    const merged = setNodeField(start, 'b', 'when', 'true');
    const { tester } = stage(async () => {
      now = merged;
      return true;
    });
    const sample = tester.store.get().sample;
    moments.set(1, { status: 'success', node_runs: [{ node_key: 'a', status: 'success' }] });
    const done = tester.start('a', () => now);
    tester.setSample({ cog_ids: [7], variables: {} });
    await done;
    const tested = tester.store.get().tested.get('a');
    expect(tested?.graph).toBe(merged);
    expect(tested?.sample).toBe(sample);
  });

  it('is only looked at: its results are not kept', async () => {
    const { tester, startRun } = stage();
    moments.set(1, { status: 'success', node_runs: [] });
    await tester.start('b', () => start);
    expect(startRun.mock.calls[0]?.[0].body).toMatchObject({ until: 'b', keep_results: false });
  });

  it('is given values of those variables only that the draft has', async () => {
    const { tester, startRun } = stage();
    moments.set(1, { status: 'success', node_runs: [] });
    // As after a comparison with a version that has another one.
    tester.setSample({ cog_ids: [7], variables: { width: 3, gone: 4 } });
    const variables = [{ variable_name: 'width', type: 'integer' as const, required: true }];
    await tester.start('b', () => ({ ...start, variables }));
    expect(startRun.mock.calls[0]?.[0].body.extra_variables).toEqual({ width: 3 });
  });

  it('that another one replaces while the draft is saved is not started', async () => {
    const { tester, startRun } = stage();
    moments.set(1, { status: 'success', node_runs: [] });
    await Promise.all([tester.start('a', () => start), tester.start('b', () => start)]);
    expect(startRun).toHaveBeenCalledTimes(1);
    expect(tester.store.get().last).toEqual({ until: 'b', status: 'success', runId: 1 });
  });
});
