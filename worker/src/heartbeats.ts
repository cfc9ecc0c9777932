/** Sends an agent's heartbeats at fixed intervals, whatever its attempts are doing. */

import { setTimeout as delay } from 'node:timers/promises';
import { anyOf } from '@cogworks/sdk/any-of';
import { type AgentState, stopIfRefused } from './agent-state.ts';
import { sumOf } from './capacity.ts';

/** Used until the server sends its own interval. */
const firstInterval_seconds = 3;
/** An unanswered heartbeat must not prevent the next from renewing the leases. */
const answer_ms = 10_000;

/** @returns a function that ends them; when it resolves, none is under way. */
export function startHeartbeats(agent: AgentState): () => Promise<void> {
  let seconds = firstInterval_seconds;
  const end = new AbortController();
  const { signal } = end;
  const loop = async () => {
    while (!signal.aborted) {
      await delay(seconds * 1000, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      seconds = await sendHeartbeat(agent, signal).catch((error: unknown) => {
        if (!signal.aborted && !stopIfRefused(agent, error)) {
          agent.log.warn({ err: error }, 'a heartbeat failed');
        }
        return seconds;
      });
    }
  };
  const ended = loop();
  // A later heartbeat would show the worker as online again after it has signed off.
  return () => {
    end.abort();
    return ended;
  };
}

/** Renews the leases, and receives what is to be stopped. @returns seconds until the next. */
async function sendHeartbeat(agent: AgentState, end: AbortSignal): Promise<number> {
  const { client, identity, held, log } = agent;
  const attempts = [...held.values()].map(({ attempt }) => attempt);
  const answer = await client.sendHeartbeat({
    path: { id: identity.id },
    signal: anyOf(end, AbortSignal.timeout(answer_ms)),
    body: {
      attempts: attempts.map(({ order: { attempt_id, lease_token }, fraction }) => ({
        attempt_id,
        lease_token,
        fraction: fraction(),
      })),
      in_use: sumOf(attempts.map(({ order }) => order.resources)),
    },
  });
  for (const { attempt_id } of answer.cancel) held.get(attempt_id)?.attempt.stop('cancel');
  for (const id of answer.abandon) {
    // An attempt reported during this heartbeat is no longer held.
    if (held.has(id)) log.warn({ attempt_id: id }, 'an attempt is held by another worker now');
    held.get(id)?.attempt.stop('abandon');
  }
  if (answer.desired_state === 'disabled') agent.stopping.abort();
  return answer.heartbeat_interval_seconds;
}
