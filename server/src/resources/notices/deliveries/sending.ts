/**
 * Sends the messages of notices. A message is leased while it is sent; a process that is killed in
 * between leaves it to be sent again, under the same id, so receivers get it at least once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../../config.ts';
import type { Db } from '../../../db/connection.ts';
import type { Services } from '../../../services.ts';
import { recordEvent } from '../../audit-events/audit-events.ts';
import { askedSeconds, waitAfter } from './attempts.ts';
import { callUrl } from './calling.ts';
import { type Mailer, openMailer } from './mailing.ts';
import {
  type Attempt,
  type ClaimedDelivery,
  claimDue,
  findOldestDue,
  type Lane,
  lockClaims,
  noteAttempt,
  releaseClaim,
  turnNoticeOff,
} from './sending-queries.ts';
import type { Sent } from './sent.ts';

export type SendingServices = Pick<
  Services,
  'config' | 'db' | 'keys' | 'log' | 'baseUrl' | 'limits' | 'metrics' | 'outbound'
>;

/** How long a lease outlives the longest attempt. */
const spare_s = 45;
/** Longer than a mail takes, with all timeouts. */
const mailLease_s = 600;
/** How often it is looked for messages while others are being sent. */
const look_ms = 1000;
/** A notice is turned off when every attempt has failed for so long. */
const longestFailing_s = 5 * 24 * 3600;

/** For how long the message has been due that waits longest; undefined if none is. */
export const oldestDue = (db: Db, config: Pick<Config, 'mail'>) =>
  findOldestDue(db, config.mail !== undefined);

/**
 * Sends what is due, and what becomes due meanwhile, until nothing is under way: a slow receiver
 * occupies only its own places, and a slow mail server only those of mails.
 *
 * @param signal ends the attempts under way; another process makes them anew.
 */
export async function sendDue(services: SendingServices, signal: AbortSignal): Promise<void> {
  const lanes = lanesOf(services).map((lane) => ({ lane, underWay: new Set<Promise<void>>() }));
  const mailer = openMailer(services, signal);
  const send = (delivery: ClaimedDelivery, underWay: Set<Promise<void>>) => {
    const sending = sendOne(services, mailer, delivery, signal)
      // It stays leased for a while, and is sent again after that.
      .catch((err: unknown) => services.log.error({ err }, 'could not send a notice'))
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
  };
  const all = () => lanes.flatMap(({ underWay }) => [...underWay]);
  try {
    for (;;) {
      if (!signal.aborted && (await oldestDue(services.db, services.config)) !== undefined)
        for (const { lane, underWay } of lanes)
          for (const one of await claim(services, lane, underWay.size)) send(one, underWay);
      if (all().length === 0) return;
      await anyOrAfter(look_ms, all());
    }
  } finally {
    await Promise.all(all());
    await mailer.close();
  }
}

/** Waits until one has ended, or for a time. */
async function anyOrAfter(ms: number, underWay: readonly Promise<void>[]): Promise<void> {
  const over = new AbortController();
  const time = delay(ms, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([...underWay, time]);
  over.abort();
}

function lanesOf({ config, limits }: SendingServices): Lane[] {
  const { calls, mails, time_ms } = limits.notices;
  return [
    { ...calls, by_mail: false, lease_s: time_ms / 1000 + spare_s },
    ...(config.mail ? [{ ...mails, by_mail: true, lease_s: mailLease_s }] : []),
  ];
}

async function claim(
  { db }: SendingServices,
  lane: Lane,
  underWay: number,
): Promise<ClaimedDelivery[]> {
  const in_all = lane.in_all - underWay;
  if (in_all <= 0) return [];
  return db.transaction(async (tx) => {
    await lockClaims(tx);
    return claimDue(tx, { ...lane, in_all });
  });
}

async function sendOne(
  services: SendingServices,
  mailer: Mailer,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { url } = delivery;
  const now = new Date();
  const began = performance.now();
  const sent = await (url === undefined
    ? mailer.send(delivery)
    : callUrl(services, delivery, url, signal));
  if (!sent) {
    await releaseClaim(services.db, delivery);
    return;
  }
  services.metrics.noticeAttempts.inc({ outcome: sent.word });
  const duration_ms = Math.round(performance.now() - began);
  await note(services, delivery, sent, { ...judge(delivery, sent, now), duration_ms });
}

/** What follows from how an attempt went. */
function judge(
  { type, failures }: ClaimedDelivery,
  { word, status, error, retry_after, isFinal = false, isOfReceiver }: Sent,
  now: Date,
): Omit<Attempt, 'duration_ms'> {
  const told = { status, error, isOfReceiver };
  if (word === 'delivered') return { ...told, state: 'delivered' };
  const quiet_s = askedSeconds(retry_after, now);
  // Whoever tests looks at what comes of it now.
  const isLast = isFinal || type === 'test';
  const wait_s = isLast ? undefined : waitAfter(failures + 1, quiet_s);
  return { ...told, state: wait_s === undefined ? 'failed' : 'waiting', wait_s, quiet_s };
}

async function note(
  { db }: SendingServices,
  delivery: ClaimedDelivery,
  sent: Sent,
  attempt: Attempt,
): Promise<void> {
  if (attempt.state === 'delivered') {
    await noteAttempt(db, delivery, attempt);
    return;
  }
  await db.transaction(async (tx) => {
    const receiver = await noteAttempt(tx, delivery, attempt);
    if (!receiver) return;
    const { failing_s = 0 } = receiver;
    const isGone = delivery.url !== undefined && sent.status === 410;
    if (!isGone && failing_s < longestFailing_s) return;
    const off_reason = isGone ? 'gone' : 'failing';
    if (!(await turnNoticeOff(tx, delivery, off_reason))) return;
    const { tenant_id, notice_id: target_id } = delivery;
    const event = { action: 'notice.paused', target_type: 'notice', target_id };
    await recordEvent(tx, { tenant_id }, { ...event, details: { off_reason } });
  });
}
