/** The report of an attempt: sent until the server has heard it, or says it is not wanted. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Completion } from '@cogworks/sdk/contract.gen';
import type { AttemptContext, Order } from './attempt.ts';
import { isRefusal } from './patience.ts';

export type ReportedOutput = {
  port: string;
  name: string;
  renamed_from?: string;
  object_id: number;
  size_bytes: number;
  checksum_sha256: string;
};

export type Report = {
  status: 'success' | 'failure' | 'cancelled';
  exit_code?: number;
  error_class?: NonNullable<Completion['error_class']>;
  error_message?: string;
  outputs?: ReportedOutput[];
};

/** A server that is away longer has given the attempt to somebody else by then. */
const longest_ms = 10 * 60_000;
/** A completion with thousands of outputs takes its time; an answer that was lost never comes. */
const answer_ms = 120_000;

/** Sending it twice is fine: the server knows the lease. */
export async function reportUntilHeard(
  context: AttemptContext,
  order: Order,
  report: Report,
  stop: AbortSignal,
): Promise<void> {
  const { client, identity, log } = context;
  const path = { id: identity.id, attempt_id: order.attempt_id };
  const body = { lease_token: order.lease_token, ...report };
  const deadline = Date.now() + longest_ms;
  for (let tries = 1; Date.now() < deadline; tries += 1) {
    try {
      await client.completeAttempt({ path, body, signal: AbortSignal.timeout(answer_ms) });
      return;
    } catch (error) {
      if (isRefusal(error)) {
        const { code, detail, status } = error;
        log('warn', 'a report was refused', { attempt_id: order.attempt_id, code, detail });
        // Not for whose it is, but for what it says, such as more outputs than can be taken.
        const isAboutContent = status === 400 || status === 413 || status === 422;
        if (!isAboutContent || report.error_class === refused) return;
        return reportUntilHeard(context, order, refusedReport(report, error), stop);
      }
      // A worker that is to end tells its server once; a server that is gone finds out by the lease.
      if (stop.reason === 'evicted' && tries >= 2) return;
      await delay(Math.min(15_000, 250 * 2 ** tries));
    }
  }
}

const refused = 'output_invalid';

function refusedReport({ exit_code, outputs = [] }: Report, { message }: Error): Report {
  return {
    status: 'failure',
    ...(exit_code === undefined ? {} : { exit_code }),
    error_class: refused,
    error_message: `The server did not take the report of ${outputs.length} outputs: ${message.slice(0, 500)}`,
  };
}
