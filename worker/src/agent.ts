/**
 * The worker: starts, says every few seconds that it lives, takes work that fits, and runs it.
 * The heartbeat starts before anything else and ends after the last acknowledged report, so a
 * slow pull or a long upload never looks like a lost worker.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '@cogworks/sdk/client';
import { ApiError } from '@cogworks/sdk/errors';
import { type Held, runAttempt } from './attempt.ts';
import { type Capacity, sumOf } from './capacity.ts';
import type { ContainerEngine } from './containers/types.ts';
import { type Process, startProcess } from './enrol.ts';
import type { Log } from './log.ts';
import type { Settings } from './settings.ts';

export type AgentOptions = Omit<Settings, 'installation'> & {
  capacity: Capacity;
  /** What containers can have here besides that; found out by trying. */
  features: 'egress'[];
  engine: ContainerEngine;
  log: Log;
};

/**
 * `stopped`: as it was told to. `superseded`: another process works with its identity. `removed`:
 * the server does not know the worker any more.
 */
export type AgentEnd = 'stopped' | 'superseded' | 'removed';

export type Agent = {
  /** Resolves when the worker has stopped and nothing of it runs. */
  done: Promise<AgentEnd>;
  /** Takes nothing new, stops what runs, reports it, ends. A second call changes nothing. */
  stop(): void;
};

/** Seconds that an acquire is held by the server. */
const waitSeconds = 20;
const mostAttempts = 64;

/** @throws WorkerProblem when it cannot start. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const identity = await startProcess(options);
  const client = createClient({ baseUrl: options.baseUrl, token: () => identity.token });
  const stopping = new AbortController();
  const held = new Map<number, Held>();
  const agent: Running = { ...options, client, identity, held, stopping, end: 'stopped' };

  const beating = keepBeating(agent);
  const done = takeWork(agent).then(async () => {
    await Promise.allSettled([...held.values()].map((attempt) => attempt.ended));
    await beating.stop();
    if (agent.end === 'stopped') await sayGoodbye(agent);
    return agent.end;
  });
  return { done, stop: () => stop(agent, 'stopped') };
}

type Running = AgentOptions & {
  client: Client;
  identity: Process;
  held: Map<number, Held>;
  stopping: AbortController;
  end: AgentEnd;
};

/** Takes nothing new and gives back what it holds; where nobody knows it any more, just ends it. */
function stop(agent: Running, end: AgentEnd) {
  if (agent.stopping.signal.aborted) return;
  agent.end = end;
  agent.stopping.abort();
  for (const attempt of agent.held.values()) {
    attempt.stop(end === 'removed' ? 'abandon' : 'evicted');
  }
}

/** What the server says of the process itself. @returns whether the error was that. */
function isTheEnd(agent: Running, error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 401) stop(agent, 'removed');
  else if (error.code === 'superseded') stop(agent, 'superseded');
  else return false;
  return true;
}

/** The worker is offline at once, instead of when its lease has run out. */
async function sayGoodbye({ client, identity, log }: Running) {
  const signal = AbortSignal.timeout(5_000);
  await client.stopWorker({ path: { id: identity.id }, signal }).catch((error: unknown) => {
    log('warn', 'the server was not told that this worker ends', { error: String(error) });
  });
}

/** One heartbeat: renews the leases, and hears what is to be stopped. @returns seconds until the next. */
async function beat(agent: Running, end: AbortSignal): Promise<number> {
  const { client, identity, held, log } = agent;
  const answer = await client.sendHeartbeat({
    path: { id: identity.id },
    // One that hangs must not keep the next from renewing the leases.
    signal: AbortSignal.any([end, AbortSignal.timeout(10_000)]),
    body: {
      attempts: [...held.values()].map(({ order, fraction }) => ({
        attempt_id: order.attempt_id,
        lease_token: order.lease_token,
        ...(fraction() === undefined ? {} : { fraction: fraction() as number }),
      })),
      in_use: sumOf([...held.values()].map(({ order }) => order.resources)),
    },
  });
  for (const { attempt_id } of answer.cancel) held.get(attempt_id)?.stop('cancel');
  for (const id of answer.abandon) {
    // Reported in the very moment of this heartbeat: then it is simply done.
    if (held.has(id)) log('warn', 'an attempt is not ours any more', { attempt_id: id });
    held.get(id)?.stop('abandon');
  }
  if (answer.desired_state === 'disabled') agent.stopping.abort();
  return answer.heartbeat_interval_seconds;
}

/** Beats in a rhythm of its own, whatever the attempts are doing. */
function keepBeating(agent: Running) {
  let isOver = false;
  let seconds = 3;
  const end = new AbortController();
  const loop = async () => {
    while (!isOver) {
      await delay(seconds * 1000, undefined, { signal: end.signal }).catch(() => {});
      if (isOver) return;
      seconds = await beat(agent, end.signal).catch((error: unknown) => {
        if (isOver || isTheEnd(agent, error)) return seconds;
        agent.log('warn', 'a heartbeat did not get through', { error: String(error) });
        return seconds;
      });
    }
  };
  const ended = loop();
  return {
    /** None comes after it: a late one would make a worker look alive that has said goodbye. */
    stop: () => {
      isOver = true;
      end.abort();
      return ended;
    },
  };
}

async function takeWork(agent: Running): Promise<void> {
  const { stopping, held, log } = agent;
  let failures = 0;
  while (!stopping.signal.aborted) {
    if (held.size >= mostAttempts) {
      await Promise.race([...held.values()].map((attempt) => attempt.ended));
      continue;
    }
    try {
      const orders = await acquire(agent, Math.min(mostAttempts - held.size, 8));
      failures = 0;
      for (const order of orders) take(agent, order);
    } catch (error) {
      if (stopping.signal.aborted || isTheEnd(agent, error)) break;
      failures += 1;
      log('warn', 'asking for work failed', { error: String(error) });
      await delay(Math.min(10_000, 250 * 2 ** failures), undefined, {
        signal: stopping.signal,
      }).catch(() => {});
    }
  }
}

/**
 * Asks with all it has: the server knows what is left of it whenever there is work, so that room
 * made while this waits is used at once.
 */
async function acquire({ client, identity, capacity, stopping }: Running, max: number) {
  const answer = await client.acquireWork({
    path: { id: identity.id },
    body: { free: capacity, max, wait_seconds: waitSeconds },
    signal: AbortSignal.any([stopping.signal, AbortSignal.timeout((waitSeconds + 20) * 1000)]),
  });
  return answer ?? [];
}

function take(agent: Running, order: Held['order']) {
  const attempt = runAttempt(agent, order);
  agent.held.set(order.attempt_id, attempt);
  void attempt.ended.finally(() => agent.held.delete(order.attempt_id));
  // Stopped in the very moment the order came: nobody else will tell it.
  if (agent.stopping.signal.aborted) attempt.stop('evicted');
}
