/** Reads what a worker says on stderr: lines of JSON, and whatever its runtime says when it breaks. */

const levels = ['info', 'warn', 'error'] as const;

export type WorkerLine = {
  level: (typeof levels)[number];
  msg: string;
  fields: Record<string, unknown>;
};

/** A line that is not one of the worker's own is a warning with its text: a stack, a word of podman. */
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
