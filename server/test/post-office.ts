/** A real SMTP server for tests; it ends after the file's tests. */
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { atEndOfFile } from './end-of-file.ts';

const opened: SMTPServer[] = [];
atEndOfFile(() =>
  Promise.all(opened.splice(0).map((server) => new Promise<void>((end) => server.close(end)))),
);

/** What the server that sends to it needs as MAIL_FROM. */
export const mailFrom = 'Cogworks <no-reply@cogworks.test>';

export type Received = { from: string; to: string[]; text: string };

/** With a certificate of its own, which nobody has signed. */
export async function postOffice(options: SMTPServerOptions = {}, port = 0) {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    // Without passwords without TLS: then nodemailer would ask for a trusted certificate.
    disabledCommands: options.onAuth ? [] : ['STARTTLS', 'AUTH'],
    ...options,
    onData: (stream, session, done) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(pieces).toString().replaceAll('\r\n', '\n'),
        });
        done();
      });
    },
  });
  // A client that goes away before TLS is agreed on is no fault of the test.
  server.on('error', () => {});
  opened.push(server);
  const listening = server.listen(port, '127.0.0.1');
  await new Promise<void>((ready) => listening.once('listening', ready));
  const address = listening.address();
  const at = typeof address === 'object' ? address?.port : undefined;
  return {
    received,
    url: `smtp://127.0.0.1:${at}`,
    close: () => new Promise<void>((end) => server.close(end)),
  };
}

/** Without what quoted-printable adds. */
export const unfolded = (text = '') => {
  const bytes = text
    .replaceAll('=\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
};
