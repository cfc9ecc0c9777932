/**
 * The registry of processes that hold a master key: each records that it runs, and where its key
 * comes from.
 */
import { randomUUID } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Connection, Db } from '../db/connection.ts';
import { findProcesses, forgetProcess, noteProcess } from './queries.ts';

const rhythm_ms = 10_000;
/** A process that has not reported for this long is considered stopped. */
const forgottenAfter_s = 60;

export type Holder = { stop(): Promise<void> };

/** Of Keys only `requireMasterKey` is needed. */
type Parts = {
  config: Config;
  db: Connection;
  keys: { requireMasterKey(tx: Db): Promise<unknown> };
  log: Pick<Logger, 'error'>;
};

/**
 * Registers this process until it is stopped. If it comes before a rotation, the rotation counts
 * this process; if after, the new key must be known here.
 *
 * @throws ConfigError if the key was replaced by one this process has no access to.
 */
export async function holdMasterKey(
  { config, db, keys, log }: Parts,
  role: 'serve' | 'engine',
): Promise<Holder> {
  const id = randomUUID();
  const key_folder = await keyFolder(config);
  const row = {
    ...{ id, role, host: hostname(), pid: process.pid },
    ...(key_folder === undefined ? {} : { key_folder }),
  };
  const note = () =>
    db.transaction(async (tx) => {
      await keys.requireMasterKey(tx);
      await noteProcess(tx, row);
    });
  await note();
  let noting: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    noting = note().catch((err: unknown) =>
      log.error({ err }, 'could not say that this process holds the master key'),
    );
  }, rhythm_ms);
  return {
    stop: async () => {
      clearInterval(timer);
      await noting;
      // Without a database the entry expires by itself.
      await forgetProcess(db, id).catch(() => {});
    },
  };
}

/** Processes that would not find a new key stored by this one. */
export async function runningElsewhere(config: Config, db: Db) {
  const here = await keyFolder(config);
  const running = await findProcesses(db, forgottenAfter_s);
  return running.filter((one) => here === undefined || one.key_folder !== here);
}

/** The id of a folder on a machine. A folder shared by machines has a different id on each. */
async function keyFolder({ master_key, data_dir }: Config): Promise<string | undefined> {
  if (master_key !== undefined) return undefined;
  const { dev, ino } = await stat(data_dir);
  return `${hostname()}:${await realpath(data_dir)}:${dev}:${ino}`;
}
