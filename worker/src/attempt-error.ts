/** Why an attempt failed: a class for the retry rules, and a message for people. */
import type { ReportedErrorClass } from '@cogworks/graph/error-classes';
import type { Report } from './executor.ts';

export class AttemptError extends Error {
  readonly error_class: ReportedErrorClass;

  constructor(errorClass: ReportedErrorClass, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'AttemptError';
    this.error_class = errorClass;
  }
}

/** The report of an attempt that failed with this error. */
export function reportOfError(error: unknown): Report {
  if (error instanceof AttemptError) {
    return { status: 'failure', error_class: error.error_class, error_message: error.message };
  }
  const message = error instanceof Error ? error.message : String(error);
  const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC';
  return {
    status: 'failure',
    error_class: isFull ? 'disk_full' : 'infrastructure',
    error_message: message.slice(0, 2000),
  };
}
