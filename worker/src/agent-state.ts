/** The state shared by the parts of a running agent, and how it ends. */
import type { Client } from '@cogworks/sdk/client';
import { ApiError } from '@cogworks/sdk/errors';
import type { Attempt } from './attempt.ts';
import type { Process } from './enrol.ts';
import type { Executor } from './executor.ts';
import type { Log } from './log.ts';

/**
 * `stopped`: as requested. `superseded`: another process uses its identity. `removed`: the server
 * no longer knows the worker.
 */
export type AgentEnd = 'stopped' | 'superseded' | 'removed';

export type AgentState = {
  client: Client;
  identity: Process;
  executor: Executor;
  log: Log;
  /** By attempt id, from the receipt of the order until the report is acknowledged. */
  held: Map<number, HeldAttempt>;
  /** Aborted when no new work is to be taken. */
  stopping: AbortController;
  end: AgentEnd;
};

export type HeldAttempt = {
  attempt: Attempt;
  /** Resolves when its report is acknowledged, or none is needed. Never rejects. */
  ended: Promise<void>;
};

/** Takes no new work and gives back what it holds; a removed worker only stops its work. */
export function stopAgent(agent: AgentState, end: AgentEnd): void {
  if (agent.stopping.signal.aborted) return;
  agent.end = end;
  agent.stopping.abort();
  for (const { attempt } of agent.held.values()) {
    attempt.stop(end === 'removed' ? 'abandon' : 'evicted');
  }
}

/** Stops the agent if the server refuses this process. @returns whether it did. */
export function stopIfRefused(agent: AgentState, error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 401) stopAgent(agent, 'removed');
  else if (error.code === 'superseded') stopAgent(agent, 'superseded');
  else return false;
  return true;
}
