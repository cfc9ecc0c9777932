import { setNodeField } from '@cogworks/graph/edit/edits';
import { graph, node } from '@cogworks/graph/examples';
import { ApiError } from '@cogworks/sdk/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../../api.ts';
import { createTester } from './tester.ts';

type Moment = {
  status: string;
  /** Why it is not told any further. */
  lost?: Error;
  node_runs: { node_key: string; status: string }[];
};

/** What each run tells, by its id; nothing follows until somebody stops watching. */
const moments = new Map<number, Moment>();

vi.mock('@cogworks/sdk/runs', () => ({
  isTerminal: (status: string) => status === 'success',
  async *watchRun(_: unknown, id: number, { signal }: { signal: AbortSignal }) {
    const moment = moments.get(id);
    yield { run: { run_files: [], ...moment } };
    if (moment?.status === 'success') return;
    if (moment?.lost) throw moment.lost;
    await new Promise((_, failed) => {
      signal.addEventListener('abort', () => failed(signal.reason));
    });
  },
}));

/** What the browser keeps. */
const kept = new Map<string, string>();
vi.stubGlobal('localStorage', {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => kept.set(key, value),
});

const start = graph([node('a', 1), node('b', 1)], ['files > a.in']);

function stage(save: () => Promise<boolean> = async () => true) {
  let started = 0;
  const startRun = vi.spyOn(api, 'startRun').mockImplementation((async () => {
    started += 1;
    return { workflow_run_id: started };
  }) as never);
  const readVersion = vi.spyOn(api, 'getWorkflowVersion');
  readVersion.mockImplementation((async () => ({ logic_hash: 'as tested' })) as never);
  const open = ({ logic_hash = 'as tested', id = 1, userId = 1 } = {}) =>
    createTester({ userId, version: { id, workflow_id: 1, graph: start, logic_hash }, save });
  const tester = open();
  const statuses = () =>
    [...tester.store.get().tested].map(([key, { runs }]) => `${key} ${runs[0]?.status}`);
  return { tester, startRun, statuses, open };
}

beforeEach(() => {
  moments.clear();
  kept.clear();
});
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

  it('is shown again at the next visit, if the draft does the same, and is taken over from', async () => {
    const { tester, open, startRun } = stage();
    for (const id of [1, 2, 3])
      moments.set(id, { status: 'success', node_runs: [{ node_key: 'a', status: 'success' }] });
    tester.setSample({ cog_ids: [7], variables: {} });
    await tester.start('a', () => start);

    const next = open();
    next.resume();
    await vi.waitFor(() => expect(next.store.get().last?.runId).toBe(1));
    const tested = next.store.get().tested.get('a');
    expect([tested?.graph, tested?.sample]).toEqual([start, next.store.get().sample]);
    await next.start('a', () => start);
    expect(startRun.mock.calls[1]?.[0].body.reuse_from_run_id).toBe(1);

    const changed = open({ logic_hash: 'something else' });
    changed.resume();
    expect(changed.store.get().last).toBeUndefined();
    await changed.start('a', () => start);
    expect(startRun.mock.calls[2]?.[0].body.reuse_from_run_id).toBe(2);
  });

  it('with values of variables, which are not kept, is out of date at the next visit', async () => {
    const { tester, open } = stage();
    moments.set(1, { status: 'success', node_runs: [{ node_key: 'a', status: 'success' }] });
    tester.setSample({ cog_ids: [7], variables: { width: 3 } });
    const variables = [{ variable_name: 'width', type: 'integer' as const, required: true }];
    await tester.start('a', () => ({ ...start, variables }));
    const next = open();
    next.resume();
    await vi.waitFor(() => expect(next.store.get().last?.runId).toBe(1));
    expect(next.store.get().tested.get('a')?.sample).not.toBe(next.store.get().sample);
  });

  it.each([
    ['says why it is not followed any more', new TypeError('Failed to fetch'), true],
    ['is forgotten if its run is deleted', new ApiError(404, {}), false],
  ])('of an earlier visit %s', async (_, lost, isTold) => {
    const { tester, open } = stage();
    const node_runs = [
      { node_key: 'a', status: 'success' },
      { node_key: 'b', status: 'running' },
    ];
    moments.set(1, { status: 'running', node_runs });
    void tester.start('b', () => start);
    await vi.waitFor(() => expect(tester.store.get().last?.status).toBe('running'));
    tester.stop();

    moments.set(1, { status: 'running', node_runs, lost });
    const next = open();
    next.resume();
    await vi.waitFor(() => expect([...next.store.get().tested.keys()]).toEqual(['a']));
    expect(next.store.get().last).toBeUndefined();
    expect(next.store.get().error).toBe(isTold ? lost : undefined);
  });

  it('is shown again to nobody else who uses the browser', async () => {
    const { tester, open, startRun } = stage();
    for (const id of [1, 2]) moments.set(id, { status: 'success', node_runs: [] });
    tester.setSample({ cog_ids: [7], variables: {} });
    await tester.start('a', () => start);
    const other = open({ userId: 2 });
    expect([open(), other].map(({ store }) => store.get().sample.cog_ids)).toEqual([[7], []]);
    other.resume();
    await other.start('b', () => start);
    expect(other.store.get().last?.runId).toBe(2);
    expect(startRun.mock.calls[1]?.[0].body.reuse_from_run_id).toBeUndefined();
  });

  it('that was begun last is the one of the next visit, whichever was answered first', async () => {
    const { tester, open, startRun } = stage();
    for (const id of [1, 2]) moments.set(id, { status: 'success', node_runs: [] });
    const slow = Promise.withResolvers<{ workflow_run_id: number }>();
    startRun.mockImplementationOnce((() => slow.promise) as never);
    const first = tester.start('a', () => start);
    await vi.waitFor(() => expect(startRun).toHaveBeenCalledTimes(1));
    await tester.start('b', () => start);
    slow.resolve({ workflow_run_id: 9 });
    await first;

    const next = open();
    next.resume();
    await vi.waitFor(() => expect(next.store.get().last?.runId).toBe(1));
  });

  it('is kept of the twenty drafts that were tested last', async () => {
    const { open } = stage();
    for (let id = 1; id <= 21; id++) {
      moments.set(id, { status: 'success', node_runs: [] });
      await open({ id }).start('a', () => start);
    }
    const reopened = [1, 2, 21].map((id) => open({ id }));
    for (const one of reopened) one.resume();
    await vi.waitFor(() => expect(reopened[2]?.store.get().last?.runId).toBe(21));
    expect(reopened.map((one) => one.store.get().last?.runId)).toEqual([undefined, 2, 21]);
  });

  it('is started anew if the run to take over from was deleted', async () => {
    const { tester, startRun } = stage();
    moments.set(1, { status: 'success', node_runs: [] });
    moments.set(2, { status: 'success', node_runs: [] });
    await tester.start('a', () => start);
    startRun.mockImplementationOnce((async () => {
      throw new ApiError(404, { detail: 'There is no such run.' });
    }) as never);
    await tester.start('a', () => start);
    const reused = startRun.mock.calls.map(([{ body }]) => body.reuse_from_run_id);
    expect(reused).toEqual([undefined, 1, undefined]);
    expect(tester.store.get().error).toBeUndefined();
  });
});
