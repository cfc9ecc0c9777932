/** Events of runs, and how they update a run that was read before. Pure. */
import type {
  NodeRun,
  Progress,
  RunFile,
  Worker,
  WorkflowRun,
  WorkflowRunSummary,
} from './contract.gen.ts';

/** A run without fields that may be large. */
export type ToldRun = Omit<WorkflowRunSummary, 'extra_variables'>;
/** A node run without the fields that events leave out. */
export type ToldNodeRun = Omit<NodeRun, 'outputs' | 'cog_id' | 'queue_reason'>;
/** Counts of a node's node runs by status; `expected` is null until its lanes are known. */
export type ToldNode = {
  node_key: string;
  expected: number | null;
  queued: number;
  running: number;
  success: number;
  failure: number;
  cancelled: number;
  skipped: number;
};

export type RunEvent =
  | { event: 'run'; data: ToldRun }
  | { event: 'node_run'; data: ToldNodeRun }
  | { event: 'run_file'; data: RunFile }
  | { event: 'log'; data: { node_run_id: number; attempt: number; size_bytes: number } }
  /** `nodes` holds those that have changed; the first time all of them, in topological order. */
  | { event: 'progress'; data: Progress & { nodes: ToldNode[] } }
  /** The state read before has to be read again. */
  | { event: 'reset'; data: { reason: string } }
  | { event: 'end'; data: Record<never, never> };

export type ToldVersion = {
  id: number;
  workflow_id: number;
  version_number: number;
  state: string;
  /** What `If-Match` takes now. An editor that has it has this state. */
  etag: string;
  graph_hash: string;
  /** If only the other hash differs from those before, only the drawing has changed. */
  logic_hash: string;
  /** A user. */
  changed_by: number;
};

/** A worker of the tenant; a removed one is `disabled`. */
export type ToldWorker = Pick<Worker, 'id' | 'name' | 'status'>;

export type RunsEvent =
  | { event: 'run'; data: ToldRun | { id: number; deleted: true } }
  /** A version of a workflow was added, changed, published or archived. */
  | { event: 'version'; data: ToldVersion }
  /** A worker was enrolled, started, stopped, changed or removed. */
  | { event: 'worker'; data: ToldWorker }
  | { event: 'reset'; data: { reason: string } };

/** Maximum number of node runs included in a run. */
const mostInline = 1000;

export function withEvent(run: WorkflowRun, { event, data }: RunEvent): WorkflowRun {
  if (event === 'run') return { ...run, ...data };
  if (event === 'run_file') return withFile(run, data);
  if (event !== 'node_run') return run;
  const before = run.node_runs.find(({ id }) => id === data.id);
  if (!before && run.node_runs.length >= mostInline) return run;
  const now = toldNodeRun(data, before);
  return withFileStatuses({ ...run, node_runs: withOne(run.node_runs, now) });
}

/** A node run as an event tells it, with the fields of an earlier read that events leave out. */
export const toldNodeRun = (data: ToldNodeRun, before: NodeRun | undefined): NodeRun => ({
  ...data,
  ...(before?.cog_id === undefined ? {} : { cog_id: before.cog_id }),
  outputs: before?.outputs ?? [],
});

/** All nodes of a run, updated with those that have changed; their order stays. */
export function withNodes(
  nodes: readonly ToldNode[],
  changed: readonly ToldNode[],
): readonly ToldNode[] {
  if (changed.length === 0) return nodes;
  return [...new Map([...nodes, ...changed].map((node) => [node.node_key, node])).values()];
}

/** If the run does not include all files, new ones are also counted. */
function withFile(run: WorkflowRun, file: RunFile): WorkflowRun {
  const { run_files, run_files_total: total } = run;
  const isNew = !run_files.some(({ id }) => id === file.id);
  return {
    ...run,
    run_files: withOne(run_files, file),
    ...(total && isNew
      ? { run_files_total: { ...total, [file.direction]: total[file.direction] + 1 } }
      : {}),
  };
}

function withOne<Row extends { id: number; node_key?: string | undefined }>(
  rows: Row[],
  row: Row,
): Row[] {
  const at = rows.findIndex(({ id }) => id === row.id);
  if (at >= 0) return rows.with(at, row);
  const last = rows.findLastIndex(({ node_key }) => node_key === row.node_key);
  return rows.toSpliced(last < 0 ? rows.length : last + 1, 0, row);
}

/**
 * Whether a run includes all existing node runs, as far as its limit allows.
 *
 * @param nodes all nodes of the run, in topological order: an early one whose lanes become known
 * late takes the places of those that follow it.
 */
export function hasAllNodeRuns(
  run: WorkflowRun,
  nodes: readonly Pick<ToldNode, 'node_key' | 'expected'>[],
): boolean {
  const counts = Map.groupBy(run.node_runs, ({ node_key }) => node_key);
  let room = mostInline;
  return nodes.every(({ node_key, expected }) => {
    const wanted = Math.min(expected ?? 0, room);
    room -= wanted;
    return (counts.get(node_key)?.length ?? 0) >= wanted;
  });
}

/** Gives input files the outcome of the node runs in their lane, by the service's rules. */
function withFileStatuses(run: WorkflowRun): WorkflowRun {
  if (run.node_runs.length >= mostInline) return run;
  const lanes = Map.groupBy(run.node_runs, ({ cog_id }) => cog_id);
  const run_files = run.run_files.map((file): RunFile => {
    if (file.direction === 'output') return file;
    const { error_message: _, ...rest } = file;
    return { ...rest, ...fileStatus(lanes.get(file.cog_id) ?? run.node_runs) };
  });
  return { ...run, run_files };
}

function fileStatus(lane: readonly NodeRun[]): Pick<RunFile, 'status' | 'error_message'> {
  const has = (...wanted: NodeRun['status'][]) =>
    lane.some(({ status }) => wanted.includes(status));
  const failed = lane.find(({ status }) => status === 'failure');
  if (failed) {
    const { node_key, error_message, exit_code, error_class } = failed;
    const why = error_message ?? (exit_code === undefined ? error_class : `exit code ${exit_code}`);
    return { status: 'failure', error_message: `${node_key}: ${why}` };
  }
  if (has('pending', 'queued', 'running')) {
    const hasStarted = lane.some(({ attempt, status }) => attempt > 0 || status === 'success');
    return { status: hasStarted ? 'processing' : 'pending' };
  }
  if (has('cancelled')) return { status: 'cancelled' };
  return { status: has('success') || lane.length === 0 ? 'success' : 'skipped' };
}
