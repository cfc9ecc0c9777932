/**
 * The decisions of the run kernel: whether a node run may start, the outcome of a run, and its
 * progress. Pure functions of values: the engine reads the counts and stores the decisions. For
 * lanes see lanes.ts.
 */
import { factsOfError } from './error-classes.ts';
import type { NodeRunStatus, RunOutcome, SkipReason } from './statuses.ts';
import type { Cardinality, OnError } from './types.ts';

/** Counts of a node's node runs by outcome. `expected` is null until its lanes are known. */
export type NodeCounts = {
  expected: number | null;
  success: number;
  failure: number;
  cancelled: number;
  /** Skipped by its own `when` or an earlier node's: intended, not a failure. */
  skipped_by_condition: number;
  /** Skipped because an earlier node run failed, was cancelled or was aborted. */
  skipped_upstream: number;
};

export type CountedStatus = Exclude<keyof NodeCounts, 'expected'>;

/** The count a node run belongs to; null if it has not ended. */
export function countOf(
  status: NodeRunStatus,
  skipReason?: SkipReason | null,
): CountedStatus | null {
  switch (status) {
    case 'success':
    case 'failure':
    case 'cancelled':
      return status;
    case 'skipped':
      return skipReason === 'condition_false' || skipReason === 'upstream_skipped'
        ? 'skipped_by_condition'
        : 'skipped_upstream';
    default:
      return null;
  }
}

/** An edge from a parent node, as seen by one node run. */
export type ParentState = {
  /** The cardinality of the target port. */
  port: Cardinality;
  /** Whether the edge gathers all lanes of a mapped node; otherwise a single node run counts. */
  gather: boolean;
  min_success_ratio?: number;
  source_on_error: OnError;
  counts: NodeCounts;
};

export type Step = 'wait' | 'ready' | { skip: SkipReason };

/**
 * What happens to a pending node run. Nothing is decided before all parents have ended, even if the
 * result is already clear, so that reports are complete. `ready` leaves `when` to the caller, who
 * skips with `condition_false`.
 */
export function nextStep(parents: readonly ParentState[], policy: { aborted: boolean }): Step {
  if (policy.aborted) return { skip: 'run_aborted' };
  if (!parents.every(({ counts }) => hasEnded(counts))) return 'wait';

  const obstacles = new Set(parents.map((parent) => (parent.gather ? gathered : single)(parent)));
  const skip = gravest.find((reason) => obstacles.has(reason));
  return skip ? { skip } : 'ready';
}

/** Of several reasons, the one that users have to act on comes first. */
const gravest = ['upstream_failed', 'upstream_cancelled', 'upstream_skipped'] as const;
type Obstacle = (typeof gravest)[number] | null;

function hasEnded(counts: NodeCounts): boolean {
  return counts.expected !== null && endedOf(counts) >= counts.expected;
}

function endedOf(counts: NodeCounts): number {
  return completedOf(counts) + counts.cancelled + counts.skipped_upstream;
}

function completedOf(counts: NodeCounts): number {
  return counts.success + counts.failure + counts.skipped_by_condition;
}

function single({ port, source_on_error, counts }: ParentState): Obstacle {
  if (counts.success > 0) return null;
  if (counts.cancelled > 0) return 'upstream_cancelled';

  const optional = port === 'optional';
  if (counts.failure > 0 || counts.skipped_upstream > 0) {
    // A target that tolerates a node's failure also tolerates that it never ran because of an
    // earlier failure.
    return optional && source_on_error === 'continue' ? null : 'upstream_failed';
  }
  return optional ? null : 'upstream_skipped';
}

/**
 * Lanes skipped by a condition do not count. Of the others enough must have succeeded: the edge's
 * ratio, if it has one; otherwise all, or at least one if failures of the node are tolerated.
 */
function gathered({ port, min_success_ratio, source_on_error, counts }: ParentState): Obstacle {
  const { success, failure, cancelled, skipped_upstream } = counts;
  const lanes = success + failure + cancelled + skipped_upstream;
  if (lanes === 0) return port === 'one' ? 'upstream_skipped' : null;

  const isTolerant = min_success_ratio === undefined && source_on_error === 'continue';
  if (isTolerant && (success > 0 || port === 'optional')) return null;
  if (success / lanes >= (min_success_ratio ?? 1)) return null;
  return failure + skipped_upstream > 0 ? 'upstream_failed' : 'upstream_cancelled';
}

/**
 * The lanes of a domain that is a node's output, once that node has ended: one per file, or a
 * single lane, to be skipped at every node of the domain. Zero lanes would look like an empty list
 * further down and hide the failure. Null while the node has not ended.
 */
export function openLanes(
  source: NodeCounts,
  files: number,
): { lanes: number; skip: SkipReason | null } | null {
  if (!hasEnded(source)) return null;
  if (source.success > 0) return { lanes: files, skip: null };
  return {
    lanes: 1,
    skip: single({ port: 'one', gather: false, source_on_error: 'fail', counts: source }),
  };
}

/**
 * The outcome of a run whose node runs have all ended. Partial success: something failed, but some
 * results exist. A cancel that came too late to stop anything does not count.
 */
export function runOutcome(
  run: { nodes: readonly { key: string; leaf: boolean; counts: NodeCounts }[] },
  stoppedByCancel: boolean,
): RunOutcome {
  if (stoppedByCancel) return 'cancelled';
  if (run.nodes.every(({ counts }) => counts.failure === 0)) return 'success';
  const hasResult = run.nodes.some(({ leaf, counts }) => leaf && counts.success > 0);
  return hasResult ? 'partial_success' : 'failure';
}

export type NodeProgress = {
  key: string;
  counts: NodeCounts;
  running: number;
  /** Sum of the fractions that running node runs reported, each from 0 to 1. */
  reported?: number;
  /** The node's weight relative to others, such as its usual duration; 1 if unknown. */
  weight?: number;
};

export type Progress = {
  progress_percentage: number;
  completed_nodes: number;
  total_nodes: number;
  current_node: string | null;
};

/**
 * Nodes are in topological order. `highWater` is the percentage last shown (or 0): new lanes can
 * increase the work, but the shown number must not fall.
 */
export function progressOf(
  nodes: readonly NodeProgress[],
  terminalStatus: RunOutcome | null,
  highWater: number,
): Progress {
  const delivered = terminalStatus === 'success' || terminalStatus === 'partial_success';
  const current = nodes.find(({ running }) => running > 0);
  return {
    progress_percentage: delivered ? 100 : percentage(nodes, terminalStatus !== null, highWater),
    completed_nodes: nodes.filter(({ counts }) => isCompleted(counts)).length,
    total_nodes: nodes.length,
    current_node: terminalStatus === null ? (current?.key ?? null) : null,
  };
}

function isCompleted(counts: NodeCounts): boolean {
  return counts.expected !== null && completedOf(counts) >= counts.expected;
}

/** One decimal, rounded down, and below 100: only a successful outcome shows 100. */
function percentage(nodes: readonly NodeProgress[], frozen: boolean, highWater: number): number {
  let done = 0;
  let whole = 0;
  for (const { counts, reported = 0, weight = 1 } of nodes) {
    // In a failed or cancelled run, skipped node runs do not count as progress.
    const ended = frozen ? completedOf(counts) : endedOf(counts) + reported;
    whole += weight;
    done += weight * fraction(ended, counts.expected);
  }
  // Adding 0.0001 corrects binary fractions: 0.7 × 1000 is 699.9…
  const now = whole > 0 ? Math.floor((done / whole) * 1000 + 1e-4) / 10 : 0;
  return Math.min(99.9, Math.max(now, highWater));
}

function fraction(ended: number, expected: number | null): number {
  if (expected === null) return 0;
  return expected === 0 ? 1 : Math.min(1, ended / expected);
}

export type FailedNode = {
  key: string;
  map: boolean;
  counts: NodeCounts;
  /** Why its first failed node run failed; see failureCause. */
  cause: string;
};

/**
 * The message of a run that failed in whole or part: the first failing node and how many of its
 * files. Nodes are in topological order, so the first is the root cause; null if nothing failed.
 */
export function errorMessage(nodes: readonly FailedNode[]): string | null {
  const failed = nodes.filter(({ counts }) => counts.failure > 0);
  const [first, ...others] = failed;
  if (!first) return null;

  const { key, map, counts, cause } = first;
  const total = counts.expected ?? endedOf(counts);
  const files = total === 1 ? 'file' : 'files';
  const what = map ? `${counts.failure} of ${total} ${files} failed at ${key}` : `${key} failed`;
  const rest = others.length === 1 ? '1 more node failed' : `${others.length} more nodes failed`;
  return `${what}: ${cause}${others.length > 0 ? ` (${rest})` : ''}`;
}

/** "exit code 137 (out of memory)": the exit code, if there is one, and the class in words. */
export function failureCause(failure: {
  exit_code?: number | null;
  error_class?: string | null;
  error_message?: string | null;
}): string {
  const words = factsOfError(failure.error_class ?? '').words;
  // Exit code 0 is not the cause: then the outputs were invalid.
  if (failure.exit_code) return `exit code ${failure.exit_code}${words ? ` (${words})` : ''}`;
  return failure.error_message || words || failure.error_class || 'unknown cause';
}
