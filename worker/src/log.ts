/**
 * A worker's log: one JSON object a line on stderr, called as the server's is. Tokens and passwords
 * are never given to it.
 */
type Write = {
  (message: string): void;
  /** `err` is an error; what is written of it is its text. */
  (fields: Record<string, unknown>, message: string): void;
};

export type Log = Record<'info' | 'warn' | 'error', Write>;

// The reader may be gone, or the disk of a log file full: the worker goes on without a log.
process.stderr.on('error', () => {});

const writer =
  (level: keyof Log): Write =>
  (first: string | Record<string, unknown>, message?: string) => {
    const { err, ...fields } = typeof first === 'string' ? {} : first;
    const line = {
      level,
      time: new Date().toISOString(),
      msg: typeof first === 'string' ? first : message,
      part: 'worker',
      ...(err === undefined ? {} : { error: String(err) }),
      ...fields,
    };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  };

export const stderrLog: Log = {
  info: writer('info'),
  warn: writer('warn'),
  error: writer('error'),
};
