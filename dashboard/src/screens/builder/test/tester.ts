/**
 * Tests of the draft on sample files: runs up to one step, each of which takes over what the one
 * before has done already. They belong to this visit, never to the graph or its history.
 */
import type { Graph } from '@cogworks/graph/types';
import type { NodeRun, RunFile, WorkflowRun } from '@cogworks/sdk/contract.gen';
import { isTerminal, watchRun } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { api } from '../../../api.ts';
import { randomKey } from '../../../request-key.ts';
import { keepSample, keptSample, type Sample } from '../../../run-inputs/sample.ts';
import { RunNews } from '../../../run-news.ts';
import { createStore, type Store } from '../store.ts';

/** What one step did in the last test that it had a part in. */
export type Tested = {
  runId: number;
  /** The graph that was tested, to tell what has changed since. */
  graph: Graph;
  sample: Sample;
  runs: readonly NodeRun[];
  /** A file that the run made, once there is one: without it, the results were removed. */
  madeId?: number | undefined;
};

export type TestState = {
  sample: Sample;
  /** By the keys of steps. */
  tested: ReadonlyMap<string, Tested>;
  /** Files that tests have made, by the checksums of their content. */
  files: ReadonlyMap<string, RunFile>;
  /** The test that was started last. */
  last: { until: string; status: 'starting' | WorkflowRun['status']; runId?: number } | undefined;
  error: unknown;
  /** The step whose test waits for a sample. */
  asked: string | undefined;
  /** The step whose results are open. */
  shown: string | undefined;
};

export type Tester = {
  store: Store<TestState>;
  /** Of the test under way. */
  news: RunNews;
  /** @param graph what is edited; looked at once it is saved. */
  start(until: string, graph: () => Graph): Promise<void>;
  setSample(sample: Sample): void;
  stop(): void;
};

type Options = {
  versionId: number;
  /** Where the sample is kept between visits. */
  workflowId: number;
  /** A run takes what is saved. @returns whether everything is. */
  save: () => Promise<boolean>;
};

export function createTester({ versionId, workflowId, save }: Options): Tester {
  const store = createStore<TestState>({
    sample: keptSample(workflowId),
    tested: new Map(),
    files: new Map(),
    last: undefined,
    error: undefined,
    asked: undefined,
    shown: undefined,
  });
  const news = new RunNews();
  const onEvent = (event: Parameters<typeof news.tell>[0]) => news.tell(event);
  /** The last one that has ended, to take results over from. */
  let ended: number | undefined;
  let watching = new AbortController();

  const follow = async (part: Omit<Tested, 'runs'>, until: string, signal: AbortSignal) => {
    const { runId } = part;
    for await (const { run } of watchRun(api, runId, { signal, onEvent })) {
      const byNode = Map.groupBy(run.node_runs, ({ node_key }) => node_key);
      const tested = new Map(store.get().tested);
      const made = run.run_files.filter(({ direction }) => direction === 'output');
      const madeId = made[0]?.cog_id;
      for (const [key, runs] of byNode) tested.set(key, { ...part, runs, madeId });
      const files = new Map(store.get().files);
      for (const file of made) files.set(file.checksum_sha256, file);
      store.set({ tested, files, last: { until, status: run.status, runId } });
      if (isTerminal(run.status)) ended = runId;
    }
  };

  return {
    store,
    news,
    async start(until, graph) {
      watching.abort();
      watching = new AbortController();
      const { signal } = watching;
      const { sample, tested } = store.get();
      store.set({
        tested: endedOf(tested),
        last: { until, status: 'starting' },
        error: undefined,
      });
      try {
        if (!(await save()))
          throw new Error(t`The draft is not saved yet, and a test runs what is saved.`);
        // Another test was asked for meanwhile, or the draft was left.
        if (signal.aborted) return;
        // With what others changed, if that came with the save.
        const saved = graph();
        const { cog_ids } = sample;
        const variables = valuesFor(saved, sample);
        const { workflow_run_id } = await api.startRun({
          path: { version_id: versionId },
          body: {
            cog_ids: [...cog_ids],
            until,
            keep_results: false,
            ...(Object.keys(variables).length > 0 && { extra_variables: variables }),
            ...(ended !== undefined && { reuse_from_run_id: ended }),
          },
          idempotencyKey: randomKey(),
        });
        if (signal.aborted) return;
        store.set({ last: { until, status: 'queued', runId: workflow_run_id }, shown: until });
        await follow({ runId: workflow_run_id, graph: saved, sample }, until, signal);
      } catch (error) {
        if (signal.aborted) return;
        store.set({ error, last: undefined, tested: endedOf(store.get().tested) });
      }
    },
    setSample(sample) {
      keepSample(workflowId, sample);
      store.set({ sample });
    },
    stop: () => watching.abort(),
  };
}

/** Without those of variables that the draft does not have: the service refuses them. */
const valuesFor = ({ variables }: Graph, sample: Sample): Record<string, unknown> =>
  Object.fromEntries(
    variables.flatMap(({ variable_name: name }) =>
      Object.hasOwn(sample.variables, name) ? [[name, sample.variables[name]]] : [],
    ),
  );

const ends: ReadonlySet<NodeRun['status']> = new Set([
  'success',
  'failure',
  'skipped',
  'cancelled',
]);

/** Without steps under way: of a test that is no longer followed, nobody will hear how they ended. */
export const endedOf = (tested: TestState['tested']): TestState['tested'] =>
  new Map([...tested].filter(([, { runs }]) => runs.every(({ status }) => ends.has(status))));
