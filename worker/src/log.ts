/** A worker's log: one JSON object a line on stderr. Tokens and passwords are never given to it. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Record<string, unknown>,
) => void;

// Whoever read it may be gone, or the disk of a log file full: no reason to leave the containers.
process.stderr.on('error', () => {});

export const stderrLog: Log = (level, message, fields = {}) => {
  process.stderr.write(
    `${JSON.stringify({ level, time: new Date().toISOString(), msg: message, part: 'worker', ...fields })}\n`,
  );
};
