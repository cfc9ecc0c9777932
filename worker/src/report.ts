/** The report of an attempt: sent until the server has heard it, or says it is not wanted. */
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@cogworks/sdk/errors';
import type { AttemptContext, Order } from './attempt.ts';

export type ReportedOutput = {
  port: string;
  name: string;
  object_id: number;
  size_bytes: number;
  checksum_sha256: string;
};

export type Report = {
  status: 'success' | 'failure' | 'cancelled';
  exit_code?: number;
  error_class?: string;
  error_message?: string;
  outputs?: ReportedOutput[];
};

/** A server that is away longer has given the attempt to somebody else by then. */
const longest_ms = 10 * 60_000;

/** Sending it twice is fine: the server knows the lease. */
export async function reportUntilHeard(
  { client, identity, log }: AttemptContext,
  order: Order,
  report: Report,
  stop: AbortSignal,
): Promise<void> {
  const path = { id: identity.id, attempt_id: order.attempt_id };
  const body = { lease_token: order.lease_token, ...report };
  const deadline = Date.now() + longest_ms;
  for (let tries = 1; Date.now() < deadline; tries += 1) {
    try {
      await client.completeAttempt({ path, body });
      return;
    } catch (error) {
      const refused = error instanceof ApiError && error.status < 500 && error.status !== 429;
      if (refused) {
        log('warn', 'a report was refused', {
          attempt_id: order.attempt_id,
          code: error.code,
          detail: error.detail,
        });
        return;
      }
      // A worker that is to end tells its server once; a server that is gone finds out by the lease.
      if (stop.reason === 'evicted' && tries >= 2) return;
      await delay(Math.min(15_000, 250 * 2 ** tries));
    }
  }
}
