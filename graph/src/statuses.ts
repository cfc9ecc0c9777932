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
