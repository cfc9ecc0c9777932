/** What the parts of a working agent share, and how it ends. */
import type { Client } from '@cogworks/sdk/client';
import { ApiError } from '@cogworks/sdk/errors';
import type { Attempt } from './attempt.ts';
import type { Process } from './enrol.ts';
import type { Executor } from './executor.ts';
import type { Log } from './log.ts';

/**
 * `stopped`: as it was told to. `superseded`: another process works with its identity. `removed`:
 * the server does not know the worker any more.
 */
export type AgentEnd = 'stopped' | 'superseded' | 'removed';

export type AgentState = {
  client: Client;
  identity: Process;
  executor: Executor;
  log: Log;
  /** By attempt id, from the answer that brought the order to the acknowledgement of the report. */
  held: Map<number, HeldAttempt>;
  /** Aborted when nothing new is to be taken. */
  stopping: AbortController;
  end: AgentEnd;
};

export type HeldAttempt = {
  attempt: Attempt;
  /** Resolves when its report is acknowledged, or it needs none. Never rejects. */
  ended: Promise<void>;
};

/** Takes nothing new and gives back what it holds; a worker that was removed only stops it. */
export function stopAgent(agent: AgentState, end: AgentEnd): void {
  if (agent.stopping.signal.aborted) return;
  agent.end = end;
  agent.stopping.abort();
  for (const { attempt } of agent.held.values()) {
    attempt.stop(end === 'removed' ? 'abandon' : 'evicted');
  }
}

/** Stops the agent where the server refuses the process itself. @returns whether it did. */
export function stopIfRefused(agent: AgentState, error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 401) stopAgent(agent, 'removed');
  else if (error.code === 'superseded') stopAgent(agent, 'superseded');
  else return false;
  return true;
}
