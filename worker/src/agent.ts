/**
 * A running worker: it registers as a process with the server, takes work that fits, has its
 * executor run it, and reports. Heartbeats begin before the first request for work and end after
 * the last acknowledged report, so a slow pull or a long upload never looks like a lost worker.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { anyOf } from '@cogworks/sdk/any-of';
import { createClient } from '@cogworks/sdk/client';
import type { WorkOrder } from '@cogworks/sdk/contract.gen';
import { type AgentEnd, type AgentState, stopAgent, stopIfRefused } from './agent-state.ts';
import { startAttempt } from './attempt.ts';
import { startProcess } from './enrol.ts';
import { type Deliver, openExchange } from './exchange.ts';
import type { Executor } from './executor.ts';
import { startHeartbeats } from './heartbeats.ts';
import type { Log } from './log.ts';
import type { Settings } from './settings.ts';

export type Agent = {
  /** Resolves when the worker has stopped and none of its work is running. */
  done: Promise<AgentEnd>;
  /** Takes no new work, stops what runs, reports it, and ends. A second call has no effect. */
  stop(): void;
};

/** How long the server may hold a poll open while it has no work. */
const waitSeconds = 20;
const mostAttempts = 64;
const mostAtOnce = 16;

/** @throws WorkerProblem if it cannot start. */
export async function startAgent(settings: Settings, executor: Executor, log: Log): Promise<Agent> {
  const identity = await startProcess(settings, executor, log);
  const client = createClient({ baseUrl: settings.base_url, token: () => identity.token });
  const agent: AgentState = {
    client,
    identity,
    executor,
    log,
    held: new Map(),
    stopping: new AbortController(),
    end: 'stopped',
  };
  const stopHeartbeats = startHeartbeats(agent);
  const deliver = openExchange(
    agent,
    (ended) => (agent.stopping.signal.aborted ? 0 : roomOf(agent, ended)),
    (order) => hold(agent, order, deliver),
  );
  const done = takeWork(agent, deliver).then(async () => {
    // The answer to a report under way may have brought orders, which are given back.
    while (agent.held.size > 0) {
      await Promise.all([...agent.held.values()].map(({ ended }) => ended));
    }
    await stopHeartbeats();
    if (agent.end === 'stopped') await sayThatItEnds(agent);
    return agent.end;
  });
  return { done, stop: () => stopAgent(agent, 'stopped') };
}

/** Marks the worker as offline at once, instead of when its leases expire. */
async function sayThatItEnds({ client, identity, log }: AgentState) {
  const signal = AbortSignal.timeout(5_000);
  await client.stopWorker({ path: { id: identity.id }, signal }).catch((error: unknown) => {
    log.warn({ err: error }, 'the server was not told that this worker ends');
  });
}

/** How many more attempts may be held, once this many have ended. */
const roomOf = ({ held }: AgentState, ended = 0) =>
  Math.max(0, Math.min(mostAtOnce, mostAttempts - held.size + ended));

async function takeWork(agent: AgentState, deliver: Deliver): Promise<void> {
  const { stopping, held, log } = agent;
  let failures = 0;
  while (!stopping.signal.aborted) {
    if (held.size >= mostAttempts) {
      await Promise.race([...held.values()].map(({ ended }) => ended));
      continue;
    }
    try {
      const orders = await acquire(agent, roomOf(agent));
      failures = 0;
      for (const order of orders) hold(agent, order, deliver);
    } catch (error) {
      if (stopping.signal.aborted || stopIfRefused(agent, error)) break;
      failures += 1;
      log.warn({ err: error }, 'asking for work failed');
      await delay(Math.min(10_000, 250 * 2 ** failures), undefined, {
        signal: stopping.signal,
      }).catch(() => {});
    }
  }
}

/**
 * Asks with its full capacity: the server knows how much is free at any moment, so room freed
 * during the wait is used at once.
 */
async function acquire({ client, identity, executor, stopping }: AgentState, max: number) {
  const answer = await client.acquireWork({
    path: { id: identity.id },
    query: { inputs: 'pages' },
    body: { free: executor.capacity, max, wait_seconds: waitSeconds },
    signal: anyOf(stopping.signal, AbortSignal.timeout((waitSeconds + 20) * 1000)),
  });
  return answer ?? [];
}

/** Runs an order and reports it; heartbeats name it until the report is acknowledged. */
function hold(agent: AgentState, order: WorkOrder, deliver: Deliver) {
  const attempt = startAttempt(agent, order);
  const ended = attempt.report
    .then((report) => report && deliver(attempt, report))
    .finally(() => agent.held.delete(order.attempt_id));
  agent.held.set(order.attempt_id, { attempt, ended });
  // The agent was stopped while the order was in transit.
  if (agent.stopping.signal.aborted) attempt.stop('evicted');
}
