/** The thread side of threads.ts: runs one task after another and posts the results. */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { DomainError } from './errors.ts';
import type { Outcome } from './threads.ts';

/** On Linux each thread has a priority: serving requests comes before these checks. */
const priority = 10;

/** Call once at the end of a thread's module; outside a thread it does nothing. */
export function serve(work: Record<string, (input: never) => unknown>): void {
  if (parentPort && process.platform === 'linux') {
    try {
      setPriority(priority);
    } catch {
      // A sandbox may forbid it; the thread works without it.
    }
  }
  parentPort?.on('message', ({ name, input }: { name: string; input: never }) => {
    parentPort?.postMessage(outcomeOf(() => work[name]?.(input)));
  });
  parentPort?.postMessage({ ready: true } satisfies Outcome);
}

function outcomeOf(task: () => unknown): Outcome {
  try {
    return { result: task() };
  } catch (error) {
    if (!(error instanceof DomainError)) {
      return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    const { problem, message, fields, more_faults } = error;
    return { refusal: { problem, message, more_faults, ...(fields ? { fields } : {}) } };
  }
}
