/**
 * Sends the report of an attempt until the server acknowledges it, or says that it is not wanted.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@cogworks/sdk/client';
import type { Attempt } from './attempt.ts';
import type { Process } from './enrol.ts';
import type { Report } from './executor.ts';
import type { Log } from './log.ts';
import { isRefusal } from './retry.ts';

export type ReportingContext = { client: Client; identity: Process; log: Log };

/** After this long the server has given the attempt to another worker. */
const longest_ms = 10 * 60_000;
/** Enough for a report of thousands of outputs; a lost answer never arrives. */
const answer_ms = 120_000;

/** Idempotent, because the server knows the lease. Never rejects. */
export async function sendReport(
  context: ReportingContext,
  attempt: Attempt,
  report: Report,
): Promise<void> {
  const { client, identity, log } = context;
  const { attempt_id, lease_token } = attempt.order;
  const path = { id: identity.id, attempt_id };
  const body = { lease_token, ...report };
  const deadline = Date.now() + longest_ms;
  for (let tries = 1; Date.now() < deadline; tries += 1) {
    try {
      await client.completeAttempt({ path, body, signal: AbortSignal.timeout(answer_ms) });
      return;
    } catch (error) {
      if (isRefusal(error)) {
        const { code, detail, status } = error;
        log.warn({ attempt_id, code, detail }, 'a report was refused');
        // Refused because of its content, such as too many outputs, not because of the lease.
        const isAboutContent = status === 400 || status === 413 || status === 422;
        if (!isAboutContent || report.error_class === refused) return;
        return sendReport(context, attempt, reportOfRefused(report, error));
      }
      // A worker that is ending does not wait for an unreachable server, which will see the lease
      // expire.
      if (attempt.stopReason() === 'evicted' && tries >= 2) return;
      await delay(Math.min(15_000, 250 * 2 ** tries));
    }
  }
  log.error({ attempt_id }, 'an attempt could not be reported');
}

const refused = 'output_invalid';

function reportOfRefused({ exit_code, outputs = [] }: Report, { message }: Error): Report {
  return {
    status: 'failure',
    ...(exit_code === undefined ? {} : { exit_code }),
    error_class: refused,
    error_message: `The server did not take the report of ${outputs.length} outputs: ${message.slice(0, 500)}`,
  };
}
