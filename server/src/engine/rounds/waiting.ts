/** Tasks and requests for work while they wait for a round, or for its answer. */
import type { Ask, AskOutcome, Task, TaskResult } from './tasks.ts';

export type Waiting<T extends Task = Task> = {
  task: T;
  since: number;
  /** How often its run was locked. */
  tries: number;
  resolve: (result: TaskResult) => void;
  reject: (error: unknown) => void;
};

export type OpenAsk = Ask & {
  /** Whether it keeps waiting if a round has no work for it. */
  waits: boolean;
  /** Whether to read the queue for it even if the queue is known to be empty. */
  insists: boolean;
  /** The last hint it has been considered for. */
  seen: number;
  /** Whether the worker's state must be checked again before it may take work. */
  isDoubtful: boolean;
  resolve: (outcome: AskOutcome) => void;
  reject: (error: unknown) => void;
};

/** The initial values of a new request. */
export const unseen = { seen: 0, isDoubtful: false };

export type Submission = { tasks: Waiting[]; ask: OpenAsk | undefined };
