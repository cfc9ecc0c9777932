/**
 * Runs the published version and the draft over the same samples, one after the other: so the
 * second takes over what is done in the same way, which costs nothing and cannot differ by chance.
 */
import type { Progress, WorkflowRun, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { listAll } from '@cogworks/sdk/pages';
import { watchRun, withAllFiles } from '@cogworks/sdk/runs';
import { api } from '../../api.ts';
import type { Sample } from '../../run-inputs/sample.ts';
import { startTakingOver } from '../../run-inputs/start-taking-over.ts';
import type { EndedRun } from './compare.ts';
import { valuesFor } from './values.ts';

type Version = Pick<WorkflowVersion, 'id' | 'variables' | 'input_count'>;

/** One of the two, as far as it is. */
export type Half = {
  run_id?: number;
  status: 'waiting' | 'starting' | WorkflowRun['status'];
  progress?: Progress;
  /** Why nothing of it runs, if the service says so. */
  waits?: string | undefined;
  /** All that it made, once it has ended. */
  ended?: EndedRun;
  /** Why it did not start, or is not followed any more. */
  error?: unknown;
};

export type ProofState = { before: Half; now: Half };

type Options = {
  before: Version;
  now: Version;
  sample: Sample;
  onChange: (state: ProofState) => void;
  /** A run that could not be cancelled goes on, and costs credits. */
  onNotCancelled: (runId: number, error: unknown) => void;
  /** Aborted when nobody waits any more: what is under way is cancelled then. */
  signal: AbortSignal;
};

/** Runs of published versions that this page has seen end: the next proof takes over from them. */
const lastRuns = new Map<number, number>();

/** @returns whether both have ended; not if one did not start or was cancelled, or the signal aborts. */
export async function prove(options: Options): Promise<boolean> {
  const { before, now, sample, onChange, onNotCancelled, signal } = options;
  let state: ProofState = { before: { status: 'starting' }, now: { status: 'waiting' } };
  const tell = (which: keyof ProofState, changes: Partial<Half>) => {
    state = { ...state, [which]: { ...state[which], ...changes } };
    if (!signal.aborted) onChange(state);
  };
  const play = async (which: keyof ProofState, reuse: number | undefined) => {
    const [version, other] = which === 'before' ? [before, now] : [now, before];
    const values = valuesFor(version, other, sample.variables);
    const cog_ids = version.input_count > 0 ? [...sample.cog_ids] : [];
    const one = { version_id: version.id, cog_ids, values, onNotCancelled, signal };
    tell(which, { status: 'starting' });
    try {
      const ended = await runToEnd(one, reuse, (half) => tell(which, half));
      tell(which, { status: ended.status, ended });
      return ended;
    } catch (error) {
      tell(which, { error });
      return undefined;
    }
  };
  const first = await play('before', lastRuns.get(before.id));
  if (!first) return false;
  lastRuns.set(before.id, first.id);
  if (first.status === 'cancelled') return false;
  const second = await play('now', first.id);
  return second !== undefined && second.status !== 'cancelled';
}

type Start = {
  version_id: number;
  cog_ids: number[];
  values: Record<string, unknown>;
} & Pick<Options, 'onNotCancelled' | 'signal'>;

async function runToEnd(
  start: Start,
  reuse: number | undefined,
  tell: (half: Half) => void,
): Promise<EndedRun> {
  const { onNotCancelled, signal } = start;
  const run_id = await startTakingOver(orderOf(start), reuse, signal);
  const cancel = () =>
    void api.cancelRun({ path: { run_id } }).catch((error: unknown) => {
      const hasEnded = error instanceof ApiError && error.status === 409;
      if (!hasEnded) onNotCancelled(run_id, error);
    });
  try {
    signal.throwIfAborted();
    let last: WorkflowRun | undefined;
    for await (const { run, progress } of watchRun(api, run_id, { signal })) {
      tell({ run_id, status: run.status, progress, waits: whyItWaits(run) });
      last = run;
    }
    return await withAll(last ?? (await api.getRun({ path: { run_id }, signal })), signal);
  } catch (error) {
    // Nobody waits for it any more.
    cancel();
    throw error;
  }
}

const orderOf = ({ version_id, cog_ids, values }: Start) => ({
  path: { version_id },
  body: {
    cog_ids,
    keep_results: false,
    ...(Object.keys(values).length > 0 && { extra_variables: values }),
  },
});

/** Only while nothing of it runs. */
function whyItWaits({ node_runs }: WorkflowRun): string | undefined {
  if (node_runs.some(({ status }) => status === 'running')) return undefined;
  return node_runs.find(({ status }) => status === 'queued')?.queue_reason;
}

/** Of large runs an answer has only the first rows. */
async function withAll(run: WorkflowRun, signal: AbortSignal): Promise<EndedRun> {
  const whole = await withAllFiles(api, run, signal);
  if (run.node_runs.length < mostInline) return whole;
  const args = { path: { run_id: run.id }, query: { limit: mostInline }, signal };
  return { ...whole, node_runs: await listAll(api, 'listNodeRuns', args) };
}

const mostInline = 1000;
