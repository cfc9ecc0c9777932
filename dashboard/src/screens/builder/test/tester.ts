/**
 * Tests of the draft on sample files: runs up to one step, each of which takes over what the one
 * before has done already. They belong to this browser, never to the graph or its history.
 */
import { sameJson } from '@cogworks/graph/edit/changes';
import type { Graph } from '@cogworks/graph/types';
import type { NodeRun, RunFile, WorkflowRun, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { isTerminal, watchRun } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { api } from '../../../api.ts';
import { asGraph } from '../../../contract-graph.ts';
import { isGone, keepSample, keptSample, type Sample } from '../../../run-inputs/sample.ts';
import { startTakingOver } from '../../../run-inputs/start-taking-over.ts';
import { RunNews } from '../../../run-news.ts';
import { createStore, type Store } from '../store.ts';
import { keepTest, keptTest } from './kept-test.ts';

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
  /** Shows the last test of an earlier visit again, if the draft still does what it did then. */
  resume(): void;
  setSample(sample: Sample): void;
  stop(): void;
};

type Options = {
  /** Whose tests they are. */
  userId: number;
  /** The draft as it was opened. */
  version: Pick<WorkflowVersion, 'id' | 'workflow_id' | 'graph' | 'logic_hash'>;
  /** A run takes what is saved. @returns whether everything is. */
  save: () => Promise<boolean>;
};

export function createTester({ userId, version, save }: Options): Tester {
  const { id: versionId, workflow_id: workflowId } = version;
  const store = createStore<TestState>({
    sample: keptSample(userId, workflowId),
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
  let ended = keptTest(userId, versionId)?.runId;
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

  /** The test is not followed any more. */
  const giveUp = (error: unknown, signal: AbortSignal) => {
    if (signal.aborted) return;
    store.set({ error, last: undefined, tested: endedOf(store.get().tested) });
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
        // With what others changed, if that came with the save.
        const saved = graph();
        // Before the start: of what is saved in between, the next visit must not think it was tested.
        const logicHash = await readLogicHash(versionId);
        // Another test was asked for meanwhile, or the draft was left.
        if (signal.aborted) return;
        const cogIds = [...sample.cog_ids];
        const variables = valuesFor(saved, sample);
        const hasValues = Object.keys(variables).length > 0;
        const body = {
          cog_ids: cogIds,
          until,
          keep_results: false,
          ...(hasValues && { extra_variables: variables }),
        };
        const runId = await startTakingOver(
          { path: { version_id: versionId }, body },
          ended,
          signal,
        );
        // Of two tests the one that was begun last is kept, whichever is answered first.
        if (logicHash && signal === watching.signal)
          keepTest(userId, { versionId, runId, until, logicHash, cogIds, hasValues });
        if (signal.aborted) return;
        store.set({ last: { until, status: 'queued', runId }, shown: until });
        await follow({ runId, graph: saved, sample }, until, signal);
      } catch (error) {
        giveUp(error, signal);
      }
    },
    resume() {
      const kept = keptTest(userId, versionId);
      if (kept?.logicHash !== version.logic_hash) return;
      const { runId, until, cogIds, hasValues } = kept;
      const { sample } = store.get();
      const isSame = !hasValues && sameJson(sample.cog_ids, cogIds);
      const part = {
        runId,
        graph: asGraph(version.graph),
        sample: isSame ? sample : { cog_ids: cogIds, variables: {} },
      };
      watching = new AbortController();
      const { signal } = watching;
      follow(part, until, signal).catch((error) =>
        // A run that was deleted is not shown.
        giveUp(isGone(error) ? undefined : error, signal),
      );
    },
    setSample(sample) {
      keepSample(userId, workflowId, sample);
      store.set({ sample });
    },
    stop: () => watching.abort(),
  };
}

/** What the draft does, as it is saved. Without it the test is only forgotten at the end of the visit. */
const readLogicHash = (version_id: number): Promise<string | undefined> =>
  api.getWorkflowVersion({ path: { version_id } }).then(
    ({ logic_hash }) => logic_hash,
    () => undefined,
  );

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
