/** Parses a worker's stderr: JSON lines, and plain text if its runtime fails. */

const levels = ['info', 'warn', 'error'] as const;

export type WorkerLine = {
  level: (typeof levels)[number];
  msg: string;
  fields: Record<string, unknown>;
};

/** A line that is not JSON becomes a warning with its text: a stack, or a message of podman. */
export function workerLine(line: string): WorkerLine {
  const entry = jsonObject(line);
  if (!entry) return { level: 'warn', msg: line, fields: {} };
  const { level, msg, time: _time, ...fields } = entry;
  return {
    level: levels.find((known) => known === level) ?? 'info',
    msg: typeof msg === 'string' ? msg : '',
    fields,
  };
}

function jsonObject(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
