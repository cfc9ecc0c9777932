/**
 * Which of the processes with a worker's identity may work. For the effects of a start see
 * processes.ts.
 */
import { conflict } from '../../errors.ts';

/** `current`: may work. `superseded`: replaced by a newer one. `unknown`: no such epoch. */
export type Standing = 'current' | 'superseded' | 'unknown';

export type ProcessState = {
  last_epoch: number;
  epoch?: number;
  /** The newest process signed off, or was not heard from for a lease. */
  is_gone: boolean;
};

/**
 * The standing of a process with this `epoch`. Processes of earlier releases have none: they may
 * work if no process with an epoch ever did, or after all of those are gone, so that an update can
 * be rolled back.
 */
export function standingOf(worker: ProcessState, epoch: number | undefined): Standing {
  if (epoch === worker.epoch) return 'current';
  if (epoch === undefined) return worker.is_gone ? 'current' : 'superseded';
  return epoch <= worker.last_epoch ? 'superseded' : 'unknown';
}

export const superseded = () =>
  conflict(
    'superseded',
    'A newer process works with the identity of this worker: stop, and give back what you hold.',
  );
