/**
 * Mails: written down in the transaction of what they tell, and sent afterwards, so that a mail
 * server that is away delays nobody and no mail is lost. A process that ends between sending and
 * noting it sends the mail once more, with the same Message-ID.
 */
import { randomUUID } from 'node:crypto';
import type { Db } from '../db/connection.ts';
import type { Keys } from '../keys/keys.ts';
import type { Services } from '../services.ts';
import {
  addMail,
  claimDue,
  type MailRow,
  removeMail,
  removePointless,
  tryAgainIn,
} from './queries.ts';
import { answerIn, type Mail, type MailServer, openMailServer, refusedForGood } from './server.ts';

/** The purpose it is about. */
export type About = { tenant_id: number; invitation_id: number };

/** Sends a mail some time after the transaction. */
export async function leaveMail(
  tx: Db,
  keys: Pick<Keys, 'seal'>,
  about: About,
  mail: Mail,
): Promise<void> {
  const id = randomUUID();
  await addMail(tx, { id, ...about, sealed: keys.seal(JSON.stringify(mail), contextOf(id)) });
}

/** Mails at once; and longer than sending so many takes, with all timeouts of the connection. */
const portion = 5;
const claimed_seconds = 600;
/** Seconds until the next try, by how often it was tried; the last one from then on. */
const pauses_s = [10, 60, 300, 1800, 7200];

type Sending = Pick<Services, 'db' | 'keys' | 'log'>;

/**
 * Tries mails that are due.
 *
 * @param refused is told of a mail that its receiver's server will never take.
 * @returns how many were tried; 0 if there is nothing to do.
 */
export async function sendMails(
  services: Sending,
  settings: MailServer,
  refused: (tx: Db, about: About, reason: string) => Promise<void>,
): Promise<number> {
  const { db, keys, log } = services;
  await removePointless(db);
  const mails = await claimDue(db, portion, claimed_seconds);
  if (mails.length === 0) return 0;
  const server = await openMailServer(settings);
  try {
    for (const [at, row] of mails.entries()) {
      const mail = JSON.parse(keys.open(row.sealed, contextOf(row.id)).toString()) as Mail;
      const error: unknown = await server.send(row.id, mail).catch((reason: unknown) => reason);
      if (error === undefined) await removeMail(db, row.id);
      else if (refusedForGood(error)) {
        // The address is not logged, and neither is the answer: servers repeat the address in it.
        log.warn({ mail: row.id }, 'the mail server refused a mail for good');
        await db.transaction(async (tx) => {
          await removeMail(tx, row.id);
          await refused(tx, row, (error as Error).message);
        });
      } else {
        // If nobody is there, the others need not wait for that as well.
        const isAway = answerIn(error) === undefined;
        await retryLater(services, isAway ? mails.slice(at) : [row], error);
        if (isAway) break;
      }
    }
  } finally {
    server.close();
  }
  return mails.length;
}

async function retryLater({ db, log }: Sending, rows: readonly MailRow[], error: unknown) {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  for (const { id, tries } of rows) {
    const pause_s = pauses_s[Math.min(tries, pauses_s.length) - 1] ?? 0;
    log.warn({ mail: id, tries, code, responseCode, pause_s }, 'a mail could not be sent');
    await tryAgainIn(db, id, pause_s);
  }
}

const contextOf = (id: string) => `mails|${id}`;
