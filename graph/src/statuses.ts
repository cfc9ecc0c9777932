/**
 * The states of what runs, listed once: API, database, worker and clients derive from here. The
 * check constraints of the database are compared with these lists by a test.
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

/** How a run ends; it then stays so. */
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

/** Of an input or output of a run. */
export const runFileStatuses = [
  'pending',
  'processing',
  'success',
  'failure',
  'cancelled',
  'skipped',
] as const;
export type RunFileStatus = (typeof runFileStatuses)[number];

/** What a worker reports of an attempt. */
export const reportStatuses = ['success', 'failure', 'cancelled'] as const;
export type ReportStatus = (typeof reportStatuses)[number];

/** `lost`: its lease ran out, and it runs elsewhere. */
export const attemptStatuses = ['leased', 'running', ...reportStatuses, 'lost'] as const;
export type AttemptStatus = (typeof attemptStatuses)[number];
export type AttemptOutcome = Exclude<AttemptStatus, 'leased' | 'running'>;

/** What an administrator wants of a worker. */
export const desiredStates = ['active', 'draining', 'disabled'] as const;
export type DesiredState = (typeof desiredStates)[number];

export const workerStatuses = ['online', 'draining', 'offline', 'disabled'] as const;
export type WorkerStatus = (typeof workerStatuses)[number];
