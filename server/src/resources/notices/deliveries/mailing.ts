/** Sends a message by mail to who made its notice: to nobody else, and so many within an hour. */
import {
  answerIn,
  isAboutMail,
  type MailServerSession,
  openMailServer,
  refusedForGood,
} from '../../../mail/server.ts';
import type { Services } from '../../../services.ts';
import { mailOf } from './mail-text.ts';
import { findFacts, giveMailBack, takeMail } from './mailing-queries.ts';
import type { ClaimedDelivery } from './sending-queries.ts';
import type { Sent } from './sent.ts';

type Mailing = Pick<Services, 'config' | 'db' | 'log' | 'baseUrl' | 'limits'>;

export type Mailer = {
  /** @returns undefined if it was not sent, for now. */
  send(delivery: ClaimedDelivery): Promise<Sent | undefined>;
  close(): Promise<void>;
};

/**
 * Connects with the first mail.
 *
 * @param signal ends what waits for a connection.
 */
export function openMailer(services: Mailing, signal: AbortSignal): Mailer {
  const { mail } = services.config;
  let session: Promise<MailServerSession> | undefined;
  const close = async () => (await session)?.close();
  signal.addEventListener('abort', close);
  return {
    send: async (delivery) => {
      if (!mail || signal.aborted) return undefined;
      session ??= openMailServer(mail, services.limits.notices.mails.in_all);
      return mailTo(services, await session, delivery, signal);
    },
    close: async () => {
      signal.removeEventListener('abort', close);
      await close();
    },
  };
}

async function mailTo(
  { db, log, limits, baseUrl }: Mailing,
  session: MailServerSession,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const facts = await findFacts(db, delivery);
  if (!facts) return undefined;
  const most = limits.notices.mails_per_hour;
  const taken = await takeMail(db, facts, most);
  if (!taken) return { ...tooMany, error: `These were more than ${most} mails within an hour.` };
  const left_out_until = taken.count === most ? taken.ends_at : undefined;
  const mail = mailOf({ ...facts, ...delivery, left_out_until }, baseUrl());
  try {
    await session.send(delivery.message_id, mail);
    return { word: 'delivered', status: 250, isOfReceiver: true };
  } catch (error) {
    await giveMailBack(db, facts);
    const status = answerIn(error);
    if (signal.aborted && status === undefined) return undefined;
    const { code } = error as { code?: string };
    // The address is not logged, and neither is the answer: servers repeat the address in it.
    log.warn({ delivery: delivery.id, code, status }, 'a mail of a notice could not be sent');
    return failureOf(error, status);
  }
}

const tooMany = { word: 'limited', isFinal: true, isOfReceiver: false } as const;

function failureOf(error: unknown, status: number | undefined): Sent {
  if (status === undefined) {
    const away = 'The mail server could not be reached.';
    return { word: 'unreachable', error: away, isOfReceiver: false };
  }
  if (!isAboutMail(error)) {
    const unwanted = 'The mail server takes no mails of this installation.';
    return { word: 'refused', status, error: unwanted, isOfReceiver: false };
  }
  const isFinal = refusedForGood(error);
  const why = isFinal
    ? 'The mail server refused the address or the mail for good.'
    : 'The mail server asked to come back later.';
  return { word: 'refused', status, error: why, isFinal, isOfReceiver: true };
}
