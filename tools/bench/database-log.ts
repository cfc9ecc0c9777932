/** What PostgreSQL writes about statements: each one with its values, or those that took long. */
import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '../../server/src/db/connection.ts';

export type Logged = { text: string; values: (string | null)[] };

export type DatabaseLog = {
  /** The statements that are sent during `work`, and until nothing more comes. */
  during(work: () => Promise<unknown>): Promise<Logged[]>;
  /** The same as it was written. */
  textDuring(work: () => Promise<unknown>): Promise<string>;
  /** The slowest statement that was written since the log was opened. */
  slowest(): Promise<{ ms: number; text: string }>;
  /** Nothing is written from now on. */
  close(): Promise<void>;
};

type Setting = 'log_statement' | 'log_min_duration_statement' | 'auto_explain.log_min_duration';

/**
 * @param db a superuser.
 * @param ownFile where the database writes if it has no collector of messages, as in older commits.
 */
export async function openDatabaseLog(
  db: Connection,
  ownFile: string,
  setting: Setting,
  value: string,
): Promise<DatabaseLog> {
  await db.script(`alter system set ${setting} = '${value}'`);
  await db.script('select pg_reload_conf()');
  // Each connection reads the settings before its next statement; the signal takes a moment.
  await delay(200);
  const [collector] = await db<{ file?: string }[]>`select pg_current_logfile() as file`;
  const file = collector?.file ?? ownFile;
  const opened = (await stat(file)).size;
  const textDuring = async (work: () => Promise<unknown>) => {
    const from = (await stat(file)).size;
    await work();
    return writtenSince(file, from);
  };
  return {
    during: async (work) => statementsIn(await textDuring(work)),
    textDuring,
    async slowest() {
      return slowestIn(await readFrom(file, opened));
    },
    async close() {
      await db.script(`alter system reset ${setting}`);
      await db.script('select pg_reload_conf()');
    },
  };
}

/** Also what comes after an answer belongs to the operation: it waits until 30 ms are quiet. */
async function writtenSince(file: string, from: number): Promise<string> {
  let size = -1;
  for (;;) {
    const now = (await stat(file)).size;
    if (now === size) return readFrom(file, from);
    size = now;
    await delay(30);
  }
}

async function readFrom(file: string, from: number): Promise<string> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const bytes = Buffer.alloc(size - from);
  await handle.read(bytes, 0, bytes.length, from);
  return bytes.toString();
}

/** A line begins with its time; what follows indented by a tab belongs to it. */
export const entriesOf = (log: string) =>
  log.split(/\n(?=\d{4}-\d\d-\d\d )/).map((entry) => entry.trimEnd().replaceAll('\n\t', '\n'));

/** Pure. Everything that was executed, `begin` and `commit` too. */
export function statementsIn(log: string): Logged[] {
  const found: Logged[] = [];
  for (const entry of entriesOf(log)) {
    const text = /LOG: {2}(?:statement|execute [^:]+): ([\s\S]*)/.exec(entry)?.[1];
    if (text !== undefined) found.push({ text, values: [] });
    const values = /DETAIL: {2}Parameters: ([\s\S]*)/.exec(entry)?.[1];
    const last = found.at(-1);
    if (values !== undefined && last) last.values = valuesIn(values);
  }
  return found;
}

/** `$1 = 'it''s', $2 = NULL`. */
function valuesIn(text: string): (string | null)[] {
  const found = text.matchAll(/\$\d+ = (?:NULL|'((?:[^']|'')*)')/g);
  return [...found].map(([, value]) => value?.replaceAll("''", "'") ?? null);
}

/** Pure. */
export function slowestIn(log: string): { ms: number; text: string } {
  let slowest = { ms: 0, text: '' };
  for (const entry of entriesOf(log)) {
    const [, ms = '0', text = ''] = /LOG: {2}duration: ([\d.]+) ms {2}([\s\S]*)/.exec(entry) ?? [];
    if (Number(ms) > slowest.ms) slowest = { ms: Number(ms), text };
  }
  return slowest;
}
