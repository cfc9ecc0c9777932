/** From a folder to a process that may work: the worker it is, enrolled where it is new, started. */
import { createClient } from '@cogworks/sdk/client';
import { ApiError } from '@cogworks/sdk/errors';
import type { AgentOptions } from './agent.ts';
import {
  type Identity,
  nameOf,
  placeOf,
  readIdentity,
  requireSameServer,
  writeIdentity,
} from './identity.ts';
import { problemOf, WorkerProblem } from './problems.ts';

const version = '0.1.0';
const answer_ms = 30_000;

/** A worker's process, and the token its calls carry. */
export type Process = { id: number; token: string };

/**
 * Whoever calls this has locked the folder and removed what an earlier process left running.
 *
 * @throws WorkerProblem
 */
export async function startProcess(options: AgentOptions): Promise<Process> {
  const { stateDir, server, enrollmentToken, log } = options;
  const known = await readIdentity(stateDir);
  if (known) {
    requireSameServer(known, server, stateDir);
    const process = await start(options, known);
    if (process) {
      if (enrollmentToken !== undefined && !options.isLocal) {
        log(
          'warn',
          `${stateDir} has the worker ${nameOf(known)} already, which goes on; the enrolment token is not used. For a second worker give a --name of its own.`,
        );
      }
      return process;
    }
    const unknown = `${options.baseUrl} does not know the worker ${nameOf(known)} of ${stateDir} any more: it was removed, or the server's data is new.`;
    if (enrollmentToken === undefined) {
      throw new WorkerProblem(`${unknown} Start it once with a new COGWORKS_ENROLLMENT_TOKEN.`);
    }
    log('warn', `${unknown} It enrols as a new one.`);
  }
  const process = await start(options, await enrol(options));
  if (!process)
    throw new WorkerProblem('The server does not know the worker it has just enrolled.');
  return process;
}

async function enrol(options: AgentOptions): Promise<Identity> {
  const { baseUrl, enrollmentToken, name, labels, stateDir, server, log } = options;
  const { capacity, features } = options;
  if (enrollmentToken === undefined) {
    throw new WorkerProblem(
      `There is no worker in ${stateDir} yet: start it once with COGWORKS_ENROLLMENT_TOKEN=wet_…, which an admin makes by POST /workers/enrollment-tokens. A worker that an earlier release kept in data/worker goes on with --dir data/worker.`,
    );
  }
  const { id, worker_token } = await createClient({ baseUrl })
    .enrollWorker({
      body: { enrollment_token: enrollmentToken, name, labels, capacity, features, version },
      signal: AbortSignal.timeout(answer_ms),
    })
    .catch((error: unknown) => {
      throw problemOf(error, baseUrl);
    });
  const identity = { id, token: worker_token, name, server };
  await writeIdentity(stateDir, identity);
  log('info', `enrolled as ${nameOf(identity)} of ${baseUrl}`);
  return identity;
}

/** @returns undefined when the server does not know the worker. */
async function start(options: AgentOptions, identity: Identity): Promise<Process | undefined> {
  const { baseUrl, capacity, features, server, stateDir } = options;
  const { id, token } = identity;
  const place = await placeOf(stateDir);
  // The folder is locked, so whoever worked in this very place before is gone.
  const ended = identity.place === place ? identity.epoch : undefined;
  const client = createClient({ baseUrl, token: () => token });
  const started = await client
    .startWorker({
      path: { id },
      body: { capacity, features, version, ...(ended === undefined ? {} : { ended_epoch: ended }) },
      signal: AbortSignal.timeout(answer_ms),
    })
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return undefined;
      throw problemOf(error, baseUrl);
    });
  if (!started) return undefined;
  const { epoch } = started;
  await writeIdentity(stateDir, { ...identity, server, epoch, place });
  return { id, token: `${token}.${epoch}` };
}
