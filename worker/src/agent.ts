/**
 * The worker: enrols, says every few seconds that it lives, takes work that fits, and runs it.
 * The heartbeat starts before anything else and ends after the last acknowledged report, so a
 * slow pull or a long upload never looks like a lost worker.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '@cogworks/sdk/client';
import { ApiError } from '@cogworks/sdk/errors';
import { type Held, runAttempt } from './attempt.ts';
import { type Capacity, sumOf } from './capacity.ts';
import type { ContainerEngine } from './containers/types.ts';
import { forgetIdentity, type Identity, loadIdentity } from './identity.ts';
import type { Log } from './log.ts';

export type AgentOptions = {
  baseUrl: string;
  /** For the first start; afterwards the worker has a token of its own. */
  enrollmentToken: string | undefined;
  name: string;
  labels: string[];
  capacity: Capacity;
  /** Absolute; identity and the attempts' folders live here. */
  stateDir: string;
  engine: ContainerEngine;
  log: Log;
};

export type Agent = {
  /** Resolves when the worker has stopped; rejects when it cannot work at all. */
  done: Promise<void>;
  /** Takes nothing new, stops what runs, reports it, ends. A second call changes nothing. */
  stop(): void;
};

/** Seconds that an acquire is held by the server. */
const waitSeconds = 20;
const mostAttempts = 64;

export async function startAgent(options: AgentOptions): Promise<Agent> {
  const identity = await enrolled(options);
  const client = createClient({ baseUrl: options.baseUrl, token: () => identity.token });
  const stopping = new AbortController();
  const held = new Map<number, Held>();
  const agent = { ...options, client, identity, held, stopping };

  // Before the first acquire: what this worker held before it ended is free again at once.
  await beat(agent, true);
  const beating = keepBeating(agent);
  const done = takeWork(agent).finally(async () => {
    await Promise.allSettled([...held.values()].map((attempt) => attempt.ended));
    beating.stop();
  });
  return {
    done,
    stop: () => {
      stopping.abort();
      for (const attempt of held.values()) attempt.stop('evicted');
    },
  };
}

type Running = AgentOptions & {
  client: Client;
  identity: Identity;
  held: Map<number, Held>;
  stopping: AbortController;
};

/** The stored identity, unless the server does not know it (a new installation): then a new one. */
async function enrolled(options: AgentOptions): Promise<Identity> {
  const identity = await loadIdentity(options);
  const client = createClient({ baseUrl: options.baseUrl, token: () => identity.token });
  try {
    await client.sendHeartbeat({ path: { id: identity.id }, body: { attempts: [] } });
    return identity;
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 404)) throw error;
    if (options.enrollmentToken === undefined) throw error;
    await forgetIdentity(options);
    return loadIdentity(options);
  }
}

/** One heartbeat: renews the leases, and hears what is to be stopped. @returns seconds until the next. */
async function beat(
  { client, identity, held, stopping, log, capacity }: Running,
  justStarted = false,
): Promise<number> {
  const answer = await client.sendHeartbeat({
    path: { id: identity.id },
    // One that hangs must not keep the next from renewing the leases.
    signal: AbortSignal.timeout(10_000),
    body: {
      attempts: [...held.values()].map(({ order, fraction }) => ({
        attempt_id: order.attempt_id,
        lease_token: order.lease_token,
        ...(fraction() === undefined ? {} : { fraction: fraction() as number }),
      })),
      in_use: sumOf([...held.values()].map(({ order }) => order.resources)),
      // The machine may have grown or shrunk since it enrolled.
      ...(justStarted ? { just_started: true, capacity } : {}),
    },
  });
  for (const { attempt_id } of answer.cancel) held.get(attempt_id)?.stop('cancel');
  for (const id of answer.abandon) {
    // Reported in the very moment of this heartbeat: then it is simply done.
    if (held.has(id)) log('warn', 'an attempt is not ours any more', { attempt_id: id });
    held.get(id)?.stop('abandon');
  }
  if (answer.desired_state === 'disabled') stopping.abort();
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
      seconds = await beat(agent).catch((error: unknown) => {
        agent.log('warn', 'a heartbeat did not get through', { error: String(error) });
        return seconds;
      });
    }
  };
  void loop();
  return {
    stop: () => {
      isOver = true;
      end.abort();
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
      if (stopping.signal.aborted) break;
      failures += 1;
      log('warn', 'asking for work failed', { error: String(error) });
      if (error instanceof ApiError && error.status === 401) throw error;
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
