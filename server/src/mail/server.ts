/** The mail server of SMTP_URL, by nodemailer, which is loaded only when there is a mail to send. */
import type { Config } from '../config.ts';

export type MailServer = NonNullable<Config['mail']>;

export type Mail = { to: string; subject: string; text: string };

const timeout_ms = 20_000;

/** Parameters of the URL, such as `requireTLS`, come before these. */
const usual = {
  connectionTimeout: timeout_ms,
  greetingTimeout: timeout_ms,
  socketTimeout: timeout_ms,
  pool: true as const,
  // A mail says only what we write; nothing in it may make the sender read files or URLs.
  disableFileAccess: true,
  disableUrlAccess: true,
};

/** @param maxConnections of them mails are sent at the same time. */
export async function openMailServer({ url, from }: MailServer, maxConnections = 1) {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ url, ...usual, maxConnections });
  // Errors of connections come with each mail as well.
  transport.on('error', () => {});
  return {
    /** @param id is in the Message-ID: a mail that is sent twice has it twice. */
    send: async (id: string, { to, subject, text }: Mail): Promise<void> => {
      const domain = /@([^@>]+)>?$/.exec(from)?.[1] ?? 'localhost';
      // As an object, so that nothing in the address is taken for a second one.
      const address = { name: '', address: to };
      const messageId = `<${id}@${domain}>`;
      // RFC 3834: vacation programs do not answer it.
      const headers = { 'Auto-Submitted': 'auto-generated' };
      await transport.sendMail({ from, to: address, subject, text, messageId, headers });
    },
    close: () => transport.close(),
  };
}

export type MailServerSession = Awaited<ReturnType<typeof openMailServer>>;

type Refusal = { code?: string; responseCode?: number; command?: string };

/** What the server said; undefined if it was away. */
export const answerIn = (error: unknown): number | undefined => (error as Refusal).responseCode;

/**
 * Whether the mail itself or its address was refused, and not the sender or the password, which an
 * operator will correct.
 */
export function isAboutMail(error: unknown): boolean {
  const { code, responseCode, command } = error as Refusal;
  const isAbout = code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM');
  return isAbout && responseCode !== undefined;
}

/** Whether the mail or its address was refused, and will be next time (RFC 5321, 5yz). */
export const refusedForGood = (error: unknown): boolean =>
  isAboutMail(error) && (answerIn(error) ?? 0) >= 500;
