/** The worker's identity: created once with an enrolment token, and stored in a private file. */
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { WorkerProblem } from './problems.ts';
import type { ExecutorName } from './settings.ts';

export type Identity = {
  id: number;
  token: string;
  /** Absent in files of earlier releases, like all fields below. */
  name?: string;
  /** The server it belongs to; the token is sent to no other. */
  server?: string;
  /** The epoch of the last process in this folder. */
  epoch?: number;
  /**
   * The place where that process ran. A copied folder is another place, and that process may be
   * alive.
   */
  place?: string;
  /** The executor at enrolment; podman if absent. */
  executor?: ExecutorName;
};

const fileOf = (stateDir: string) => join(stateDir, 'worker.json');

export async function readIdentity(stateDir: string): Promise<Identity | undefined> {
  const text = await readFile(fileOf(stateDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new WorkerProblem(`${fileOf(stateDir)} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Identity;
  } catch (cause) {
    throw new WorkerProblem(
      `${fileOf(stateDir)} is damaged. Remove it and start with a new enrolment token.`,
      'failed',
      cause,
    );
  }
}

export async function writeIdentity(stateDir: string, identity: Identity): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const fresh = `${fileOf(stateDir)}.new`;
  await writeFile(fresh, JSON.stringify(identity), { mode: 0o600 });
  await rename(fresh, fileOf(stateDir));
}

/** @throws WorkerProblem unless the identity belongs to this server. */
export function requireSameServer(identity: Identity, server: string, stateDir: string): void {
  if (identity.server === undefined || identity.server === server) return;
  throw new WorkerProblem(
    `${stateDir} belongs to the worker ${nameOf(identity)} of ${identity.server}, not of ${server}. ` +
      'Give this one a name of its own (--name), or, if it is the same server under a new URL, ' +
      `change "server" in ${fileOf(stateDir)}.`,
  );
}

/** @throws WorkerProblem if a worker with containers is started without them, or the reverse. */
export function requireSameExecutor(
  identity: Identity,
  wanted: ExecutorName,
  stateDir: string,
): void {
  const { executor = 'podman' } = identity;
  if (executor === wanted) return;
  throw new WorkerProblem(
    `${stateDir} belongs to the worker ${nameOf(identity)}, which enrolled with COGWORKS_EXECUTOR=${executor}; ` +
      `it does not go on with ${wanted}. Give another worker a folder of its own.`,
    'usage',
  );
}

export const nameOf = ({ id, name }: Identity) =>
  name === undefined ? `${id}` : `${name} (${id})`;

/**
 * Identifies a folder and its machine: a copied folder has another inode, a copied disk another id.
 */
export async function placeOf(stateDir: string): Promise<string> {
  const { dev, ino } = await stat(stateDir);
  const machine = await readFile('/etc/machine-id', 'utf8').catch(() => '');
  return [dev, ino, machine.trim(), hostname()].join(' ');
}
