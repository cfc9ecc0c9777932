/**
 * Reports ended attempts and requests work in one call. Reports that arrive during a call are sent
 * together by the next. The call never waits for work: the server answers at once, possibly with
 * work that the reports made ready. If it fails, each report is sent by the single call, which
 * retries; the same applies to servers of earlier releases, which answer 404.
 */
import type { WorkOrder } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import type { AgentState } from './agent-state.ts';
import type { Attempt } from './attempt.ts';
import type { Report } from './executor.ts';
import { sendReport } from './reporting.ts';

/** The server's limits are 200 reports and 8 MiB. */
const mostReports = 100;
/** A report with more outputs gets its own call, so that others do not wait for it. */
const mostOutputs = 500;
const answer_ms = 30_000;

type Pending = { attempt: Attempt; report: Report; acknowledged: () => void };

/**
 * Sends reports. @returns resolves when the report is acknowledged or not wanted. Never rejects.
 */
export type Deliver = (attempt: Attempt, report: Report) => Promise<void>;

/**
 * @param room how many more orders may be taken, once this many attempts end.
 * @param take runs an order that came with an answer.
 */
export function openExchange(
  agent: AgentState,
  room: (ended: number) => number,
  take: (order: WorkOrder) => void,
): Deliver {
  let isSupported = true;
  let isSending = false;
  let waiting: Pending[] = [];

  const sendAll = async () => {
    isSending = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostReports);
      waiting = waiting.slice(mostReports);
      await sendBatch(batch);
    }
    isSending = false;
  };

  const sendBatch = async (batch: Pending[]) => {
    const answer = await call(agent, batch, room(batch.length)).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) isSupported = false;
      return undefined;
    });
    const results = new Map(answer?.accepted.map((one) => [one.attempt_id, one.result]));
    for (const pending of batch)
      conclude(agent, pending, results.get(pending.attempt.order.attempt_id));
    for (const order of answer?.orders ?? []) take(order);
  };

  return (attempt, report) => {
    const isLarge = (report.outputs?.length ?? 0) > mostOutputs;
    if (!isSupported || isLarge) return sendReport(agent, attempt, report);
    return new Promise((acknowledged) => {
      waiting.push({ attempt, report, acknowledged });
      if (!isSending) void sendAll();
    });
  };
}

const call = ({ client, identity, executor }: AgentState, batch: Pending[], max: number) =>
  client.exchangeWork({
    path: { id: identity.id },
    query: { inputs: 'pages' },
    body: {
      reports: batch.map(({ attempt: { order }, report }) => ({
        attempt_id: order.attempt_id,
        lease_token: order.lease_token,
        ...report,
      })),
      free: executor.capacity,
      max,
    },
    signal: AbortSignal.timeout(answer_ms),
  });

/** `lease_lost` and `not_found`: the attempt now belongs to another worker. */
const notWanted = new Set(['lease_lost', 'not_found']);

/** Sends reports that were not acknowledged again, by the single call. */
function conclude(agent: AgentState, pending: Pending, result: string | undefined) {
  const { attempt, report, acknowledged } = pending;
  if (result === 'ok') return acknowledged();
  if (result !== undefined && notWanted.has(result)) {
    const { attempt_id } = attempt.order;
    agent.log.warn({ attempt_id, code: result }, 'a report was refused');
    return acknowledged();
  }
  void sendReport(agent, attempt, report).then(acknowledged);
}
