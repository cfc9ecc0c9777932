/** Starts as the worker that the folder belongs to, or enrols a new one. */
import { createClient } from '@cogworks/sdk/client';
import { ApiError } from '@cogworks/sdk/errors';
import type { Executor } from './executor.ts';
import {
  type Identity,
  nameOf,
  placeOf,
  readIdentity,
  requireSameExecutor,
  requireSameServer,
  writeIdentity,
} from './identity.ts';
import type { Log } from './log.ts';
import { problemOf, WorkerProblem } from './problems.ts';
import type { Settings } from './settings.ts';

const version = '0.1.0';
const answer_ms = 30_000;

/** A worker's process, and the token its calls carry. */
export type Process = { id: number; token: string };

/**
 * The caller has locked the folder and removed containers left by an earlier process.
 *
 * @throws WorkerProblem
 */
export async function startProcess(
  settings: Settings,
  executor: Executor,
  log: Log,
): Promise<Process> {
  const { state_dir, server, enrollment_token, base_url } = settings;
  const known = await readIdentity(state_dir);
  if (known) {
    requireSameServer(known, server, state_dir);
    requireSameExecutor(known, settings.executor, state_dir);
    const process = await start(settings, executor, known);
    if (process) {
      if (enrollment_token !== undefined && !settings.is_local) {
        log.warn(
          `${state_dir} has the worker ${nameOf(known)} already, which goes on; the enrolment token is not used. For a second worker give a --name of its own.`,
        );
      }
      return process;
    }
    const unknown = `${base_url} does not know the worker ${nameOf(known)} of ${state_dir} any more: it was removed, or the server's data is new.`;
    if (enrollment_token === undefined) {
      throw new WorkerProblem(`${unknown} Start it once with a new COGWORKS_ENROLLMENT_TOKEN.`);
    }
    log.warn(`${unknown} It enrols as a new one.`);
  }
  const process = await start(settings, executor, await enrol(settings, executor, log));
  if (!process)
    throw new WorkerProblem('The server does not know the worker it has just enrolled.');
  return process;
}

async function enrol(settings: Settings, executor: Executor, log: Log): Promise<Identity> {
  const { base_url, enrollment_token, name, labels, state_dir, server } = settings;
  const { capacity, features } = executor;
  if (enrollment_token === undefined) {
    throw new WorkerProblem(
      `There is no worker in ${state_dir} yet: start it once with COGWORKS_ENROLLMENT_TOKEN=wet_…, which an admin makes by POST /workers/enrollment-tokens. A worker that an earlier release kept in data/worker goes on with --dir data/worker.`,
    );
  }
  const { id, worker_token } = await createClient({ baseUrl: base_url })
    .enrollWorker({
      body: { enrollment_token, name, labels, capacity, features, version },
      signal: AbortSignal.timeout(answer_ms),
    })
    .catch((error: unknown) => {
      throw problemOf(error, base_url);
    });
  const identity = { id, token: worker_token, name, server, executor: settings.executor };
  await writeIdentity(state_dir, identity);
  log.info(`enrolled as ${nameOf(identity)} of ${base_url}`);
  return identity;
}

/** @returns undefined if the server does not know the worker. */
async function start(
  { base_url, server, state_dir }: Settings,
  { capacity, features }: Executor,
  identity: Identity,
): Promise<Process | undefined> {
  const { id, token } = identity;
  const place = await placeOf(state_dir);
  // The folder is locked, so the previous process in it has ended.
  const ended = identity.place === place ? identity.epoch : undefined;
  const client = createClient({ baseUrl: base_url, token: () => token });
  const started = await client
    .startWorker({
      path: { id },
      body: { capacity, features, version, ...(ended === undefined ? {} : { ended_epoch: ended }) },
      signal: AbortSignal.timeout(answer_ms),
    })
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return undefined;
      throw problemOf(error, base_url);
    });
  if (!started) return undefined;
  const { epoch } = started;
  await writeIdentity(state_dir, { ...identity, server, epoch, place });
  return { id, token: `${token}.${epoch}` };
}
