/** The log: JSON lines, or a readable form on a terminal. Says who and what, never a secret. */
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';

/**
 * What holds credentials, wherever a library may log it: the multipart parser, for one, logs all
 * headers of an upload at `trace`.
 */
const secret = [
  'busboyOptions',
  'headers',
  '*.headers',
  '*.authorization',
  '*.password',
  '*.access_token',
  '*.refresh_token',
  '*.api_key',
  '*.access_key',
];

/** `stream` instead of the terminal is for tests that read what was written. */
export function makeLog(level: string, stream?: DestinationStream): Logger {
  const options = { level, timestamp: stdTimeFunctions.isoTime, base: null, redact: secret };
  if (stream) return pino(options, stream);
  const destination = standardOutput();
  if (!process.stdout.isTTY) return pino(options, destination);
  return pino(
    options,
    pretty({
      destination,
      colorize: true,
      translateTime: 'HH:MM:ss',
      ignore: 'reqId',
      singleLine: true,
      sync: true,
    }),
  );
}

/** What cannot be written is kept up to here, then dropped: the log must not cost the memory. */
const keptBytes = 1024 * 1024;

/**
 * A log on a full disk, a closed pipe or a terminal that is gone loses lines; it never ends the
 * server. What is still kept is written with the next line that can be.
 */
function standardOutput() {
  const destination = pino.destination({ dest: 1, sync: true, maxLength: keptBytes });
  destination.on('error', () => {});
  return destination;
}
