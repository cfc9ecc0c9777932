/** Which of the programs behind a worker's identity may work. What a start does is in processes.ts. */
import { conflict } from '../../errors.ts';

/** `current`: may work. `superseded`: a newer one does. `unknown`: no such start ever was. */
export type Standing = 'current' | 'superseded' | 'unknown';

export type ProcessState = {
  last_epoch: number;
  epoch?: number;
  /** The newest program has said goodbye, or was not heard of for a lease. */
  is_gone: boolean;
};

/**
 * Where a program stands that calls itself `epoch`. One of an earlier release names none: it may
 * work where no other ever did, and after all others are gone, so that an update can be undone.
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
