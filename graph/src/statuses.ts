/**
 * All statuses, listed once: API, database, worker and clients derive from these lists. A test
 * compares them with the database's check constraints.
 */
export const runStatuses = [
  'queued',
  'running',
  'success',
  'partial_success',
  'failure',
  'cancelled',
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Final statuses of a run. */
export type RunOutcome = Exclude<RunStatus, 'queued' | 'running'>;

export const isTerminal = (status: RunStatus): status is RunOutcome =>
  status !== 'queued' && status !== 'running';

export const nodeRunStatuses = [
  'pending',
  'queued',
  'running',
  'success',
  'failure',
  'cancelled',
  'skipped',
] as const;
export type NodeRunStatus = (typeof nodeRunStatuses)[number];

export const skipReasons = [
  'condition_false',
  'upstream_failed',
  'upstream_cancelled',
  'upstream_skipped',
  'run_aborted',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/**
 * The letters of a run's grid, one for each node run. Successes taken over from an earlier run and
 * both kinds of skips (`countOf` in steps.ts) have letters of their own: `n` for "not needed", `b`
 * for "blocked".
 */
export const cellCodes = {
  pending: 'p',
  queued: 'q',
  running: 'r',
  success: 's',
  reused: 'u',
  failure: 'f',
  cancelled: 'c',
  skipped_by_condition: 'n',
  skipped_upstream: 'b',
} as const;
export type CellCode = (typeof cellCodes)[keyof typeof cellCodes];

/** Stands in a row of the grid for a node that has no node run there. */
export const noCell = '-';

/** The letters of the node runs that have this status. */
export const codesOf: Readonly<Record<NodeRunStatus, readonly CellCode[]>> = {
  pending: ['p'],
  queued: ['q'],
  running: ['r'],
  success: ['s', 'u'],
  failure: ['f'],
  cancelled: ['c'],
  skipped: ['n', 'b'],
};

/** Statuses of an input or output of a run. */
export const runFileStatuses = [
  'pending',
  'processing',
  'success',
  'failure',
  'cancelled',
  'skipped',
] as const;
export type RunFileStatus = (typeof runFileStatuses)[number];

/** Statuses a worker reports for an attempt. */
export const reportStatuses = ['success', 'failure', 'cancelled'] as const;
export type ReportStatus = (typeof reportStatuses)[number];

/** `lost`: its lease expired, and the node run is retried elsewhere. */
export const attemptStatuses = ['leased', 'running', ...reportStatuses, 'lost'] as const;
export type AttemptStatus = (typeof attemptStatuses)[number];
export type AttemptOutcome = Exclude<AttemptStatus, 'leased' | 'running'>;

/** The state an administrator requests for a worker. */
export const desiredStates = ['active', 'draining', 'disabled'] as const;
export type DesiredState = (typeof desiredStates)[number];

export const workerStatuses = ['online', 'draining', 'offline', 'disabled'] as const;
export type WorkerStatus = (typeof workerStatuses)[number];
