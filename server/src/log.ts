/** The log: JSON lines, or a readable form on a terminal. It never contains secrets. */
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';

/**
 * Fields with credentials, in case a library logs them: the multipart parser logs all headers of an
 * upload at `trace`.
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

/** Tests pass a `stream` to read what was written. */
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

/** Unwritten bytes above this are dropped: the log must not exhaust the memory. */
const keptBytes = 1024 * 1024;

/**
 * With a full disk, a closed pipe or a closed terminal the log loses lines, but never ends the
 * server. Lines still buffered are written with the next line that can be.
 */
function standardOutput() {
  const destination = pino.destination({ dest: 1, sync: true, maxLength: keptBytes });
  destination.on('error', () => {});
  return destination;
}
