/**
 * A worker's log: one JSON object per line on stderr, with the same interface as the server's. It
 * is never passed tokens or passwords.
 */
type Write = {
  (message: string): void;
  /** `err` is an error; its text is logged. */
  (fields: Record<string, unknown>, message: string): void;
};

export type Log = Record<'info' | 'warn' | 'error', Write>;

// The reader may be gone, or the log's disk full: the worker continues without a log.
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
