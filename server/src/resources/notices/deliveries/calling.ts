/** Sends a message by calling the URL of its notice. */
import { shortenedText } from '../../../errors.ts';
import { signedHeaders } from '../../../hooks/signatures.ts';
import type { Services } from '../../../services.ts';
import { openSecrets } from '../secrets.ts';
import type { ClaimedDelivery } from './sending-queries.ts';
import type { Sent } from './sent.ts';

type Calling = Pick<Services, 'db' | 'keys' | 'baseUrl' | 'limits' | 'outbound'>;

/** @returns undefined if the signal ended it before it was known how it went. */
export async function callUrl(
  { db, keys, baseUrl, limits, outbound }: Calling,
  delivery: ClaimedDelivery,
  url: string,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { message_id, tenant_id, notice_id } = delivery;
  const key = { tenant_id, id: notice_id };
  const secrets = await openSecrets(db, keys, key, delivery.sealed_secrets);
  const body = JSON.stringify(contentOf(delivery, baseUrl()));
  const signed = signedHeaders(message_id, new Date(), body, secrets);
  const headers = { 'content-type': 'application/json', ...signed };
  const { time_ms, answer_bytes } = limits.notices;
  try {
    const outcome = await outbound.post(url, { headers, body }, { time_ms, answer_bytes, signal });
    if ('failure' in outcome)
      return { word: outcome.failure, error: outcome.error, isOfReceiver: true };
    const { status, retry_after } = outcome;
    const word = status >= 200 && status < 300 ? 'delivered' : 'refused';
    return { word, status, retry_after, isOfReceiver: true };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Thin: a receiver that wants more asks for the run. */
function contentOf(delivery: ClaimedDelivery, baseUrl: string) {
  const { type, created_at: timestamp, notice_id } = delivery;
  const { run_id, workflow_id, workflow_version_id, status, trigger_id, started_by } = delivery;
  const { test_run, error_message } = delivery;
  if (run_id === undefined) return { type, timestamp, data: { notice_id } };
  const data = {
    workflow_run_id: run_id,
    ...{ workflow_id, workflow_version_id, status },
    ...(trigger_id !== undefined && { trigger_id }),
    ...{ started_by, test_run },
    ...(error_message !== undefined && { error_message: shortenedText(error_message) }),
    url: `${baseUrl}/app/runs/${run_id}`,
  };
  return { type, timestamp, data };
}
